"""Vectors of DS that exchange lanes, count for the wave, or add the lane number."""

from .base import FULL, M32, Case, pattern

REGISTERS = [(0, 8, 20), (5, 1, 11), (100, 3, 200), (16, 250, 2), (30, 40, 248)]


class LaneCases:
    """All vectors of a row."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group, self.kind = writer, row, group, row.m.kind
        self.gen = Case(writer, row, group, "").gen

    def all(self):
        {"swizzle": self.swizzle, "permute": self.permute, "bpermute": self.permute, "append": self.append,
         "consume": self.append, "read_addtid": self.addtid, "write_addtid": self.addtid}[self.kind]()

    def case(self, label, **more):
        c = Case(self.writer, self.row, self.group, label, **more)
        return c, REGISTERS[c.turn % len(REGISTERS)]

    def swizzle(self):
        offsets = [0x80E4, 0x041F, 0x001F, 0xE000, 0xE010, 0xC020, 0xC021, 0xC421, 0x801B, 0x8000, 0x80B1, 0x0C1F,
                   0x7C1F, 0x0000, 0x03E0, 0x0010, 0x7FFF, 0xE01F, 0xE007, 0xFFFF, 0xC7E0, 0xDFFF, 0xA04E, 0xBF93,
                   0xC000, 0x5555, 0x1234, 0xE40A]
        for i, offset in enumerate(offsets):
            c, (addr, data, vdst) = self.case(f"{offset:04x}", execute=(FULL, None, 0xFFFFFFFF0000FFFF)[i % 3])
            if i % 9 == 4:
                vdst = addr
            c.w.st.vgpr[addr] = [0x1000 + lane for lane in range(64)]
            c.old(vdst, 1)
            c.emit(addr=addr, data0=data, vdst=vdst, offset=offset, gds=0)
        for label, execute, mode in (("exec0", 0, None), ("vskip", FULL, 0x100003F0)):
            c, (addr, data, vdst) = self.case(label, execute=execute, mode=mode)
            c.w.st.vgpr[addr] = [0x1000 + lane for lane in range(64)]
            c.old(vdst, 1)
            c.emit(addr=addr, vdst=vdst, offset=0x041F)

    def permute(self):
        addresses = [("identity", lambda i: 4 * i), ("reverse", lambda i: 4 * (63 - i)), ("all-to-one", lambda i: 20),
                     ("low-bits", lambda i: 4 * (i ^ 1) + 3), ("beyond", lambda i: 256 + 4 * (i * 7 % 64)),
                     ("negative", lambda i: -4 * i), ("halves", lambda i: 4 * (i // 2)), ("quads", lambda i: 16 * i)]
        for i in range(22):
            label, value = addresses[i % 8]
            c, (addr, data, vdst) = self.case(label, execute=(FULL, None, 0xAAAAAAAA, 0xF)[(i // 8 + i) % 4])
            vdst = (vdst, vdst, addr, data)[i % 4] if i > 8 else vdst
            c.w.st.vgpr[addr] = [value(lane) & M32 for lane in range(64)]
            c.w.st.vgpr[data] = [0x2000 + 3 * lane for lane in range(64)]
            c.old(vdst, 1)
            c.emit(addr=addr, data0=data, vdst=vdst, offset=(0, 4, 256, 0xFFFC, 3, 0)[i % 6])
        for i, execute in enumerate((0xF, 0xA, 0)):
            # the four lanes of AMD's picture
            c, (addr, data, vdst) = self.case(f"picture-{execute:x}", execute=execute)
            c.w.st.vgpr[addr] = [0, 0, 12, 4] + [0] * 60
            c.w.st.vgpr[data] = [10, 11, 12, 13] + [99] * 60
            c.old(vdst, 1)
            c.emit(addr=addr, data0=data, vdst=vdst)

    def append(self):
        executes = [FULL, 1, 0xF0, 0, 0x8000000000000001, 0x0123456789ABCDEF]
        settings = [(M32, 64, 0), (0, 128, 0), (0x1FFFF, 40, 0), (0x2FFC0, 1016, 0), (66, 67, 0),
                    (0x12340040, 0xFF00, 0), (0x00400000, 0, 1), (0x00100001, 32, 1), (0xFF000000, 0xFC, 1)]
        for i in range(26):
            m0, offset, gds = settings[i % len(settings)]
            label = f"{'gds-' if gds else ''}{m0:x}-{offset}"
            c, (addr, _, vdst) = self.case(label, execute=executes[i % 6], mode=0x100003F0 if i == 20 else None)
            c.m0(m0)
            c.lds(1024)
            if gds:
                c.w.gds = bytearray(65536)
            c.old(vdst, 1)
            fill = (lambda address: 0xFF) if i % 7 == 3 else (lambda address: 0) if i % 7 == 5 else pattern
            c.emit(fill=fill, addr=addr, vdst=vdst, offset=offset, gds=gds)

    def addtid(self):
        for i in range(24):
            m0, offset = [(0, 0), (64, 16), (0x7FFF0020, 0), (512, 256), (0xFFFF, 1), (4, 8), (0, 0xFFF0), (2, 0),
                          (768, 4)][i % 9]
            execute = 0 if i % 7 == 6 else FULL if i % 4 == 1 else None
            c, (addr, data, vdst) = self.case(f"{m0:x}-{offset}", execute=execute)
            c.m0(m0)
            c.lds(1024)
            c.data(data, 1)
            c.old(vdst, 1)
            c.emit(addr=addr, data0=data, vdst=vdst, offset=offset)
