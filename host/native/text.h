/* Memory and text for programs without libc. Needs syscall.h. */
typedef unsigned char u8;

void *memcpy(void *to, const void *from, unsigned long n) {
	u8 *t = to;
	const u8 *f = from;
	while (n--) *t++ = *f++;
	return to;
}
void *memset(void *to, int value, unsigned long n) {
	u8 *t = to;
	while (n--) *t++ = (u8)value;
	return to;
}
static unsigned long length(const char *s) {
	unsigned long n = 0;
	while (s[n]) n++;
	return n;
}
static int same(const char *a, const char *b) {
	while (*a && *a == *b) a++, b++;
	return *a == *b;
}
__attribute__((unused)) static long number(const char *s) {
	long n = 0;
	while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0');
	return n;
}
static char *decimal(char *end, unsigned long n) {
	*--end = 0;
	do *--end = '0' + n % 10; while (n /= 10);
	return end;
}
static void say(int fd, const char *text) { sys3(__NR_write, fd, (long)text, length(text)); }
