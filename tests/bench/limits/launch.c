// launch COMMAND [args]: runs a command once and prints its nanoseconds from fork to exit and its peak memory in KiB. A
// program of its own because a child is charged with the memory of who forked it, and this one has next to none.
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int count, char** arguments) {
  struct timespec a, b;
  struct rusage usage;
  int status = 0;
  if (count < 2) return 2;
  clock_gettime(CLOCK_MONOTONIC, &a);
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_RDWR), 1);
    execvp(arguments[1], arguments + 1);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 2;
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%.0f\n%ld\n", 1e9 * (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec), usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
