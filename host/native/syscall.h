/* System calls and the entry point of a program without libc, for x86-64 and arm64. */
#if defined(__x86_64__)
static inline long sys6(long n, long a, long b, long c, long d, long e, long f) {
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return result;
}
__asm__(".globl _start\n_start:\n\txor %ebp,%ebp\n\tmov %rsp,%rdi\n\tand $-16,%rsp\n\tcall run\n");
#elif defined(__aarch64__)
static inline long sys6(long n, long a, long b, long c, long d, long e, long f) {
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
	return x0;
}
__asm__(".globl _start\n_start:\n\tmov x29,#0\n\tmov x0,sp\n\tbl run\n");
#else
#error "x86-64 and arm64 only"
#endif
#define sys5(n, a, b, c, d, e) sys6(n, a, b, c, d, e, 0)
#define sys4(n, a, b, c, d) sys6(n, a, b, c, d, 0, 0)
#define sys3(n, a, b, c) sys6(n, a, b, c, 0, 0, 0)
#define sys2(n, a, b) sys6(n, a, b, 0, 0, 0, 0)
#define sys1(n, a) sys6(n, a, 0, 0, 0, 0, 0)
