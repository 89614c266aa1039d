"""What instructions work on: registers, memory, LDS, GDS; and how lanes load, store and update."""

from gcnmodel import EXEC, M0, State

from .rows import GENERATION

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def sx(value, bits):
    """The low bits as a signed number."""
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def canonical(address):
    """The low 48 bits, sign-extended to 64."""
    return sx(address, 48) & M64


class Fault(Exception):
    """An access that memory does not allow."""

    def __init__(self, access, address, size, lane):
        super().__init__(f"{access} of {size} bytes at {address:#x}, lane {lane}")
        self.access, self.address, self.size, self.lane = access, address & M64, size, lane


class Memory:
    """Regions of bytes at guest addresses; nothing else is mapped."""

    def __init__(self, regions=()):
        self.regions = [(base, bytearray(data)) for base, data in regions]

    def copy(self):
        return Memory(self.regions)

    def find(self, address):
        """The region of a byte and the place in it; None if it is not mapped."""
        address = canonical(address)
        for base, data in self.regions:
            if base <= address < base + len(data):
                return data, address - base
        return None

    def has(self, address, size):
        """Whether all bytes are mapped, in one region or in several."""
        return all(self.find(address + k) for k in range(size))

    def read(self, address, size):
        """The bytes; those that are not mapped are 0."""
        found = [self.find(address + k) for k in range(size)]
        return bytes(place[0][place[1]] if place else 0 for place in found)

    def write(self, address, data):
        for k, byte in enumerate(data):
            region, at = self.find(address + k)
            region[at] = byte


class Pieces(list):
    """Pieces of an access that lie apart: `start` is where they begin, before they were moved apart."""

    def __init__(self, pieces, start):
        super().__init__(pieces)
        self.start = start


class Recorder(Memory):
    """Memory that is everywhere: `touched` has the bytes that were accessed, by lane."""

    def __init__(self):
        super().__init__()
        self.touched = {}

    def copy(self):
        return self

    def note(self, lane, address, size):
        first = canonical(address)
        self.touched.setdefault(lane, set()).update(range(first, first + size))

    def has(self, address, size):
        return True

    def read(self, address, size):
        return bytes(size)

    def write(self, address, data):
        pass


class Machine:
    """A wave and what it reaches."""

    def __init__(self, arch):
        self.arch, self.gen = arch, GENERATION[arch]
        self.st, self.memory, self.lds = State(), Memory(), None
        self.gds, self.apertures, self.doubts = None, None, set()
        self.lds_touched = set()

    def copy(self):
        other = Machine(self.arch)
        other.st, other.memory = self.st.copy(), self.memory.copy()
        other.lds = None if self.lds is None else bytearray(self.lds)
        other.gds = None if self.gds is None else bytearray(self.gds)
        other.apertures = self.apertures
        return other

    # --- registers

    def lanes(self):
        """The active lanes in ascending order."""
        execute = self.st.read64(EXEC)
        return [lane for lane in range(64) if execute >> lane & 1]

    def s(self, code):
        return self.st.sgpr[code]

    @property
    def m0(self):
        return self.st.sgpr[M0]

    def v(self, n, lane, dwords=1):
        """The value of a lane in `dwords` registers from n on; a register past the last one reads v0."""
        value = 0
        for k in range(dwords):
            if n + k > 255:
                self.doubts.add("reg-range")
            register = self.st.vgpr.get(n + k if n + k < 256 else 0)
            value |= (register[lane] if register else 0) << 32 * k
        return value

    def set_v(self, n, lane, value, dwords=1):
        for k in range(dwords):
            lanes = self.st.vgpr.setdefault(n + k, [0] * 64)
            lanes[lane] = value >> 32 * k & M32

    def past_the_end(self, n, dwords):
        """Whether a destination register lies past the last one: then the instruction does nothing."""
        if n + dwords > 256:
            self.doubts.add("reg-range")
            return True
        return False

    # --- pieces

    def share(self, place):
        if place == "gds" and self.gds is None:
            self.gds = bytearray(65536)
        return self.gds if place == "gds" else self.lds

    def check(self, pieces, access, lane, most=16):
        """Faults unless all bytes in memory are mapped.  Blocks of a load, as large as its address is aligned, `most`
        bytes at most, may end unmapped."""
        at = 0
        for place, address, size in pieces:
            at += size
            if place != "mem":
                continue
            if isinstance(self.memory, Recorder):
                self.memory.note(lane, address, size)
            if not self.memory.has(address, size):
                if access != "load" or not self.ends_outside(pieces, range(at - size, at), most):
                    raise Fault(access, address, size, lane)
                self.doubts.add("load-past-end")

    def ends_outside(self, pieces, numbers, most):
        """Whether the bytes of a load with these numbers are in blocks that begin with a mapped byte."""
        block = most
        while getattr(pieces, "start", pieces[0][1]) % block:
            block //= 2
        addresses = [address + k if place == "mem" else None for place, address, size in pieces for k in range(size)]
        for number in numbers:
            first = number // block * block
            begin = [address for address in addresses[first:number + 1] if address is not None][0]
            if not self.memory.has(begin, 1):
                return False
        return True

    def read(self, pieces):
        data = b""
        for place, address, size in pieces:
            if place is None:
                data += bytes(size)
            elif place == "mem":
                data += self.memory.read(address, size)
            else:
                self.lds_touched.update(range(address, address + size))
                data += self.share(place)[address:address + size]
        return int.from_bytes(data, "little")

    def write(self, pieces, value):
        for place, address, size in pieces:
            data = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
            value >>= 8 * size
            if place == "mem":
                self.memory.write(address, data)
            elif place is not None:
                self.lds_touched.update(range(address, address + size))
                self.share(place)[address:address + size] = data

    # --- all lanes of an instruction

    def locate(self, where, access, align=0):
        """[(lane, pieces)] of all active lanes, checked.  `align`: the alignment that atomics need."""
        found = []
        for lane in self.lanes():
            pieces = where(lane)
            for place, address, size in pieces:
                if align and place is not None and address % align and size >= 4:
                    self.doubts.add("atomic-align")
                    raise Fault(access, address, align, lane)
            self.check(pieces, access, lane)
            found.append((lane, pieces))
        return found

    def load(self, where, deliver):
        """Loads for all lanes, then hands the values out."""
        found = self.locate(where, "load")
        values = [(lane, self.read(pieces)) for lane, pieces in found]
        for lane, value in values:
            deliver(lane, value)

    def store(self, where, data):
        """Stores for all lanes, in ascending order."""
        written = {}
        found = self.locate(where, "store")
        for (lane, pieces), value in [(item, data(item[0])) for item in found]:
            self.overlaps(written, pieces, value)
            self.write(pieces, value)

    def update(self, where, change, deliver, align=0):
        """Updates for all lanes, one after the other; `change(lane, old)` is the new value."""
        results, seen = [], set()
        for lane, pieces in self.locate(where, "atomic", align):
            old = self.read(pieces)
            self.write(pieces, change(lane, old))
            results.append((lane, old))
            if deliver and pieces[0] in seen:
                self.doubts.add("lane-order")
            seen.add(pieces[0])
        for lane, old in results if deliver else ():
            deliver(lane, old)

    def overlaps(self, written, pieces, value):
        """Adds a doubt if lanes of a store have different bytes for one place."""
        for place, address, size in pieces:
            for k in range(size):
                key, byte = (place, address + k), value >> 8 * k & 0xFF
                if place is not None and written.setdefault(key, byte) != byte:
                    self.doubts.add("lane-order")
            value >>= 8 * size
