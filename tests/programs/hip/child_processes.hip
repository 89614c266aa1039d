// A process that forks before it uses the device: parent and child have devices of their own, at the same time.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int* to, int value) { to[thread_index()] = value; }

static void use(int value) {
    Array<int> to(4096);
    for (int round = 0; round < 10; round++) {
        fill<<<64, 64>>>(to, value + round);
        for (int got : to.read()) CHECK_EQ(got, value + round);
    }
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "child") == 0) {
        use(300);
        return 7;
    }
    pid_t forked = fork();
    if (forked == 0) {
        use(100);
        exit(5);
    }
    use(200);
    int status = 0;
    CHECK_EQ(waitpid(forked, &status, 0), forked);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    // And one that runs another program after the device is in use.
    pid_t started = fork();
    if (started == 0) {
        execl("/proc/self/exe", argv[0], "child", nullptr);
        _exit(1);
    }
    CHECK_EQ(waitpid(started, &status, 0), started);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    use(400);
    return OK();
}
