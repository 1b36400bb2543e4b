/*
 * Mounts by system calls, for a process that cannot make them itself and is too large to start `mount` each time.
 *
 * A request is four words on standard input, each with a zero byte at its end, so that every path is a word:
 *   NUMBER bind FROM TO         a bind mount
 *   NUMBER tmpfs PATH OPTIONS   a file system in memory
 *   NUMBER unmount PATH ""      of what is mounted at the path; a link there is not followed
 * Its answer is a line on standard output: NUMBER and the errno, 0 where it is done. The first line of all is "ready". Each request has a process of its
 * own, so that a file system that hangs keeps nobody waiting but its own; answers come as they come. It ends with its input.
 *
 * Built for x86-64 and arm64 by build.ts; only the kernel's own headers are used.
 */
#include <asm/unistd.h>
#include <linux/mount.h>
#include "syscall.h"
#include "text.h"

#define SIGCHLD 17
#define EINTR 4
#define EINVAL 22
#define UMOUNT_NOFOLLOW 8

enum { WORDS = 4, LONGEST = 16384 };

static long perform(char **words) {
	if (same(words[1], "bind")) return sys5(__NR_mount, (long)words[2], (long)words[3], 0, MS_BIND, 0);
	if (same(words[1], "tmpfs")) return sys5(__NR_mount, (long)"tmpfs", (long)words[2], (long)"tmpfs", 0, (long)words[3]);
	if (same(words[1], "unmount")) return sys2(__NR_umount2, (long)words[2], UMOUNT_NOFOLLOW);
	return -EINVAL;
}

/* In one write, so that lines of several processes do not mix. */
static void answer(const char *number, long result) {
	char line[64], digits[24];
	unsigned long n = 0;
	const char *parts[] = { number, " ", decimal(digits + sizeof digits, (unsigned long)-result), "\n" };
	for (int i = 0; i < 4; i++)
		for (const char *c = parts[i]; *c && n < sizeof line - 1; c++) line[n++] = *c;
	line[n] = 0;
	say(1, line);
}

/* What follows the words of the first whole request in the bytes; 0 where it is not whole yet. */
static char *take(char *from, char *end, char **words) {
	for (int i = 0; i < WORDS; i++) {
		words[i] = from;
		while (from < end && *from) from++;
		if (from == end) return 0;
		from++;
	}
	return from;
}

static long serve(void) {
	static char bytes[LONGEST];
	static const long ignored[8] = { 1 }; /* struct sigaction of SIG_IGN: what ends is reaped by the kernel */
	char *end = bytes, *words[WORDS];
	sys4(__NR_rt_sigaction, SIGCHLD, (long)ignored, 0, 8);
	say(1, "ready\n");
	for (;;) {
		long n = sys3(__NR_read, 0, (long)end, bytes + LONGEST - end);
		if (n == -EINTR) continue;
		if (n <= 0) return n; /* also where a request has no end */
		end += n;
		char *from = bytes;
		for (char *next; (next = take(from, end, words)) != 0; from = next) {
			long child = sys5(__NR_clone, SIGCHLD, 0, 0, 0, 0);
			if (child > 0) continue;
			answer(words[0], child < 0 ? child : perform(words));
			if (child == 0) return 0;
		}
		char *to = bytes;
		while (from < end) *to++ = *from++;
		end = to;
	}
}

__attribute__((used)) void run(long *stack) {
	(void)stack;
	sys1(__NR_exit_group, serve() < 0);
}
