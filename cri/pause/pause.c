/*
 * The one small native program of Kubeling, static and without libc, so that it runs in an empty image and on any Linux.
 *
 *   kubeling-pause                                  PID 1 of a pod sandbox: reaps zombies, ends at once on TERM or INT; may ask the kernel for
 *                                                   nothing else (its own seccomp filter, which whoever starts it need not make)
 *   kubeling-pause attach PID BRIDGE VETH IFNAME MAC MTU ADDRESS/PREFIX GATEWAY [ADDRESS/PREFIX GATEWAY]
 *                                                   makes a veth pair, one end on the bridge, the other in the network
 *                                                   namespace of PID with its addresses, default routes and loopback up;
 *                                                   addresses are hexadecimal, 8 digits (IPv4) or 32 (IPv6)
 *   kubeling-pause detach VETH                      deletes the veth pair; already gone is success
 *   kubeling-pause loopback PID                     brings the loopback up in the network namespace of PID
 *   kubeling-pause pin PID PATH                     keeps the network namespace of PID at PATH, whatever becomes of PID
 *   kubeling-pause unpin PATH                       gives it up; nothing there is success
 *   kubeling-pause forget PORT...                   ends the kernel's memory of UDP conversations with these ports, which would go on to
 *                                                   whom the ports led before
 *   kubeling-pause dial PID PORT                    connects to localhost:PORT inside the network namespace of PID and
 *                                                   carries bytes between that socket and standard input and output;
 *                                                   says "connected" on standard error first
 *   kubeling-pause bound PROGRAM                    runs the program (a path), which is killed when who started it ends
 *   kubeling-pause serve                            attach, detach, loopback, pin, unpin, forget: one a line on standard input, each answered
 *                                                   with one line on standard output: "ok" or the error
 *
 * Built for x86-64 and arm64 by build.ts; only the kernel's own headers are used.
 */
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/if_link.h>
#include <linux/if_addr.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/netlink.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/rtnetlink.h>
#include <linux/seccomp.h>
#include <linux/veth.h>
#include <linux/fcntl.h>
#include <linux/poll.h>
#include <linux/prctl.h>
#include "../../host/native/syscall.h"
#include "../../host/native/text.h"

#define SIGINT 2
#define SIGKILL 9
#define SIGTERM 15
#define SIGCHLD 17
#define WNOHANG 1
#define CLONE_NEWNET 0x40000000
#define AF_INET 2
#define AF_INET6 10
#define AF_NETLINK 16
#define SOCK_STREAM 1
#define SOCK_RAW 3
#define SOCK_CLOEXEC 02000000
#define IFF_UP 1
#define EPERM 1
#define ENODEV 19
#define ENOSYS 38
#define EEXIST 17
#define EINVAL 22
#define ENOENT 2
#define MS_BIND 4096
#define MNT_DETACH 2

typedef unsigned int u32;

/* ---- errors: the step that failed and its errno ---- */
static const char *failed_step;
static long failed(const char *step, long result) {
	failed_step = step;
	return result;
}
static void report(int fd, long error) {
	char line[128], digits[24];
	unsigned long n = 0;
	const char *parts[] = { failed_step, ": errno ", decimal(digits + sizeof digits, -error), "\n" };
	for (int i = 0; i < 4; i++)
		for (const char *c = parts[i]; *c && n < sizeof line - 1; c++) line[n++] = *c;
	line[n] = 0;
	say(fd, line);
}

/* ---- netlink ---- */
struct message {
	struct nlmsghdr header;
	u8 body[1024];
};
static void *extend(struct message *m, unsigned long size) {
	void *at = (u8 *)m + NLMSG_ALIGN(m->header.nlmsg_len);
	memset(at, 0, NLMSG_ALIGN(size));
	m->header.nlmsg_len = NLMSG_ALIGN(m->header.nlmsg_len) + NLMSG_ALIGN(size);
	return at;
}
static struct rtattr *attribute(struct message *m, int type, const void *data, unsigned long size) {
	struct rtattr *a = extend(m, RTA_LENGTH(size));
	a->rta_type = type;
	a->rta_len = RTA_LENGTH(size);
	if (size) memcpy(RTA_DATA(a), data, size);
	return a;
}
static void attribute_u32(struct message *m, int type, u32 value) { attribute(m, type, &value, sizeof value); }
static void attribute_text(struct message *m, int type, const char *s) { attribute(m, type, s, length(s) + 1); }
static void close_nested(struct message *m, struct rtattr *a) {
	a->rta_len = (u8 *)m + NLMSG_ALIGN(m->header.nlmsg_len) - (u8 *)a;
}
static void begin(struct message *m, int type, int flags) {
	memset(&m->header, 0, sizeof m->header);
	m->header.nlmsg_len = NLMSG_LENGTH(0);
	m->header.nlmsg_type = type;
	m->header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
}
static long transact(int socket, struct message *m) {
	u8 answer[4096] __attribute__((aligned(8)));
	long n = sys6(__NR_sendto, socket, (long)m, m->header.nlmsg_len, 0, 0, 0);
	if (n < 0) return n;
	n = sys6(__NR_recvfrom, socket, (long)answer, sizeof answer, 0, 0, 0);
	if (n < 0) return n;
	struct nlmsghdr *h = (struct nlmsghdr *)answer;
	return h->nlmsg_type == NLMSG_ERROR ? ((struct nlmsgerr *)NLMSG_DATA(h))->error : 0;
}
static long open_netlink(int protocol) { return sys3(__NR_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol); }
static long netlink_socket(void) { return open_netlink(NETLINK_ROUTE); }

/* The index of an interface, asked of the kernel by name. */
static long index_of(int socket, const char *name) {
	struct message m;
	u8 answer[8192] __attribute__((aligned(8)));
	begin(&m, RTM_GETLINK, 0);
	m.header.nlmsg_flags = NLM_F_REQUEST;
	extend(&m, sizeof(struct ifinfomsg));
	attribute_text(&m, IFLA_IFNAME, name);
	long n = sys6(__NR_sendto, socket, (long)&m, m.header.nlmsg_len, 0, 0, 0);
	if (n < 0) return n;
	n = sys6(__NR_recvfrom, socket, (long)answer, sizeof answer, 0, 0, 0);
	if (n < 0) return n;
	struct nlmsghdr *h = (struct nlmsghdr *)answer;
	if (h->nlmsg_type == NLMSG_ERROR) return ((struct nlmsgerr *)NLMSG_DATA(h))->error;
	return ((struct ifinfomsg *)NLMSG_DATA(h))->ifi_index;
}

static void parse_mac(const char *s, u8 *out) {
	for (int i = 0; i < 6; i++) {
		int v = 0;
		for (; *s && *s != ':'; s++) v = v * 16 + (*s <= '9' ? *s - '0' : (*s | 32) - 'a' + 10);
		if (*s) s++;
		out[i] = (u8)v;
	}
}
/* Reads hexadecimal digits, two a byte, up to anything else; answers how many bytes: 4 for IPv4, 16 for IPv6. */
static int parse_address(const char *s, u8 *out) {
	int digits = 0;
	for (; digits < 32; s++, digits++) {
		int d = *s >= '0' && *s <= '9' ? *s - '0' : *s >= 'a' && *s <= 'f' ? *s - 'a' + 10 : -1;
		if (d < 0) break;
		out[digits / 2] = (u8)(digits % 2 ? out[digits / 2] << 4 | d : d);
	}
	return digits / 2;
}
static long prefix_of(const char *s) {
	while (*s && *s != '/') s++;
	return *s ? number(s + 1) : 0;
}

static long open_netns(const char *pid) {
	char path[64];
	unsigned long n = 0;
	const char *parts[] = { "/proc/", pid, "/ns/net" };
	for (int i = 0; i < 3; i++)
		for (const char *c = parts[i]; *c && n < sizeof path - 1; c++) path[n++] = *c;
	path[n] = 0;
	return sys4(__NR_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
}

static long set_up(int socket, long index) {
	struct message m;
	begin(&m, RTM_NEWLINK, 0);
	struct ifinfomsg *link = extend(&m, sizeof *link);
	link->ifi_index = (int)index;
	link->ifi_flags = IFF_UP;
	link->ifi_change = IFF_UP;
	return transact(socket, &m);
}

static long add_veth(int host, long bridge, const char *veth, const char *ifname, const char *mac, int netns, u32 mtu) {
	struct message m;
	u8 address[6];
	parse_mac(mac, address);
	begin(&m, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct ifinfomsg *link = extend(&m, sizeof *link);
	link->ifi_flags = IFF_UP;
	link->ifi_change = IFF_UP;
	attribute_text(&m, IFLA_IFNAME, veth);
	attribute_u32(&m, IFLA_MTU, mtu);
	attribute_u32(&m, IFLA_MASTER, (u32)bridge);
	struct rtattr *info = attribute(&m, IFLA_LINKINFO, 0, 0);
	attribute(&m, IFLA_INFO_KIND, "veth", 4);
	struct rtattr *data = attribute(&m, IFLA_INFO_DATA, 0, 0);
	struct rtattr *peer = attribute(&m, VETH_INFO_PEER, 0, 0);
	extend(&m, sizeof(struct ifinfomsg));
	attribute_text(&m, IFLA_IFNAME, ifname);
	attribute(&m, IFLA_ADDRESS, address, sizeof address);
	attribute_u32(&m, IFLA_MTU, mtu);
	attribute_u32(&m, IFLA_NET_NS_FD, (u32)netns);
	close_nested(&m, peer);
	close_nested(&m, data);
	close_nested(&m, info);
	return transact(host, &m);
}

static long set_hairpin(int host, long index) {
	struct message m;
	u8 on = 1;
	begin(&m, RTM_SETLINK, 0);
	struct ifinfomsg *link = extend(&m, sizeof *link);
	link->ifi_family = 7; /* AF_BRIDGE */
	link->ifi_index = (int)index;
	struct rtattr *port = attribute(&m, IFLA_PROTINFO | NLA_F_NESTED, 0, 0);
	attribute(&m, IFLA_BRPORT_MODE, &on, 1);
	close_nested(&m, port);
	return transact(host, &m);
}

static long add_address(int pod, long index, const char *text) {
	struct message m;
	u8 ip[16], broadcast[4];
	int size = parse_address(text, ip), prefix = (int)prefix_of(text);
	if (size != 4 && size != 16) return -EINVAL;
	begin(&m, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE);
	struct ifaddrmsg *a = extend(&m, sizeof *a);
	a->ifa_family = size == 4 ? AF_INET : AF_INET6;
	a->ifa_prefixlen = (u8)prefix;
	a->ifa_index = (u32)index;
	attribute(&m, IFA_LOCAL, ip, (unsigned)size);
	attribute(&m, IFA_ADDRESS, ip, (unsigned)size);
	if (size == 16) {
		a->ifa_flags = IFA_F_NODAD; /* ours alone: usable at once */
		return transact(pod, &m);
	}
	for (int i = 0; i < 4; i++) {
		int bits = prefix - i * 8;
		broadcast[i] = ip[i] | (bits >= 8 ? 0 : bits <= 0 ? 0xff : 0xff >> bits);
	}
	attribute(&m, IFA_BROADCAST, broadcast, 4);
	return transact(pod, &m);
}

static long add_default_route(int pod, long index, const char *gateway) {
	struct message m;
	u8 ip[16];
	int size = parse_address(gateway, ip);
	if (size != 4 && size != 16) return -EINVAL;
	begin(&m, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE);
	struct rtmsg *r = extend(&m, sizeof *r);
	r->rtm_family = size == 4 ? AF_INET : AF_INET6;
	r->rtm_table = RT_TABLE_MAIN;
	r->rtm_protocol = RTPROT_BOOT;
	r->rtm_scope = RT_SCOPE_UNIVERSE;
	r->rtm_type = RTN_UNICAST;
	attribute(&m, RTA_GATEWAY, ip, (unsigned)size);
	attribute_u32(&m, RTA_OIF, (u32)index);
	return transact(pod, &m);
}

/* A setting of one interface for IPv6, in the namespace of this thread; a kernel without IPv6 has none. */
static void set_ipv6(const char *ifname, const char *name, const char *value) {
	char path[96];
	unsigned long n = 0;
	const char *parts[] = { "/proc/sys/net/ipv6/conf/", ifname, "/", name };
	for (int i = 0; i < 4; i++)
		for (const char *c = parts[i]; *c && n < sizeof path - 1; c++) path[n++] = *c;
	path[n] = 0;
	long file = sys4(__NR_openat, AT_FDCWD, (long)path, O_WRONLY | O_CLOEXEC, 0);
	if (file < 0) return;
	sys3(__NR_write, file, (long)value, length(value));
	sys1(__NR_close, file);
}

/* Configures the pod's end; runs with this thread inside the pod's namespace. */
static long configure_pod(int pod, const char *ifname, char **networks, int count) {
	long e, index;
	if ((e = set_up(pod, 1)) < 0) return failed("bring up the loopback", e);
	if ((index = index_of(pod, ifname)) < 0) return failed("find the pod's interface", index);
	set_ipv6(ifname, "accept_ra", "0"); /* a neighbour must not become this pod's router */
	if (count > 2 || length(networks[0]) > 12) set_ipv6(ifname, "disable_ipv6", "0");
	for (int i = 0; i + 1 < count; i += 2)
		if ((e = add_address(pod, index, networks[i])) < 0) return failed("add the address", e);
	if ((e = set_up(pod, index)) < 0) return failed("bring up the pod's interface", e);
	for (int i = 0; i + 1 < count; i += 2)
		if ((e = add_default_route(pod, index, networks[i + 1])) < 0) return failed("add the default route", e);
	return 0;
}

/* PID BRIDGE VETH IFNAME MAC MTU, then one or two pairs of address and gateway. */
static long attach(char **a, int count) {
	long e, host, pod, home, netns, bridge, veth;
	if ((host = netlink_socket()) < 0) return failed("open netlink", host);
	if ((netns = open_netns(a[0])) < 0) return failed("open the pod's network namespace", netns);
	if ((home = open_netns("self")) < 0) return failed("open the own network namespace", home);
	if ((bridge = index_of(host, a[1])) < 0) return failed("find the bridge", bridge);
	if ((e = add_veth(host, bridge, a[2], a[3], a[4], netns, number(a[5]))) < 0) return failed("make the veth pair", e);
	if ((veth = index_of(host, a[2])) < 0) return failed("find the host's end", veth);
	if ((e = set_hairpin(host, veth)) < 0) return failed("set hairpin mode", e);
	if ((e = sys2(__NR_setns, netns, CLONE_NEWNET)) < 0) return failed("enter the pod's network namespace", e);
	pod = netlink_socket();
	e = pod < 0 ? failed("open netlink in the pod", pod) : configure_pod(pod, a[3], a + 6, count - 6);
	sys2(__NR_setns, home, CLONE_NEWNET);
	if (pod >= 0) sys1(__NR_close, pod);
	sys1(__NR_close, home);
	sys1(__NR_close, netns);
	sys1(__NR_close, host);
	return e;
}

static long loopback(const char *pid) {
	long e, home, netns, pod;
	if ((netns = open_netns(pid)) < 0) return failed("open the pod's network namespace", netns);
	if ((home = open_netns("self")) < 0) return failed("open the own network namespace", home);
	if ((e = sys2(__NR_setns, netns, CLONE_NEWNET)) < 0) return failed("enter the pod's network namespace", e);
	pod = netlink_socket();
	e = pod < 0 ? failed("open netlink in the pod", pod) : set_up(pod, 1) < 0 ? failed("bring up the loopback", -EINVAL) : 0;
	sys2(__NR_setns, home, CLONE_NEWNET);
	if (pod >= 0) sys1(__NR_close, pod);
	sys1(__NR_close, home);
	sys1(__NR_close, netns);
	return e;
}

static long detach(const char *veth) {
	struct message m;
	long host = netlink_socket();
	if (host < 0) return failed("open netlink", host);
	begin(&m, RTM_DELLINK, 0);
	extend(&m, sizeof(struct ifinfomsg));
	attribute_text(&m, IFLA_IFNAME, veth);
	long e = transact(host, &m);
	sys1(__NR_close, host);
	return e == -ENODEV ? 0 : e < 0 ? failed("delete the veth pair", e) : 0;
}

static long unpin(const char *path) {
	sys2(__NR_umount2, (long)path, MNT_DETACH); /* not mounted: only the file is there */
	long e = sys3(__NR_unlinkat, AT_FDCWD, (long)path, 0);
	return e < 0 && e != -ENOENT ? failed("remove the pinned namespace", e) : 0;
}

static long pin(const char *pid, const char *path) {
	char source[64];
	long e, file, netns = open_netns(pid);
	if (netns < 0) return failed("open the pod's network namespace", netns);
	if ((e = unpin(path)) < 0) return e;
	file = sys4(__NR_openat, AT_FDCWD, (long)path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (file < 0) return failed("make the file of the namespace", file);
	sys1(__NR_close, file);
	/* By the open file: the process may be over by now. */
	char digits[24], *number_text = decimal(digits + sizeof digits, (unsigned long)netns);
	unsigned long n = 0;
	const char *parts[] = { "/proc/self/fd/", number_text };
	for (int i = 0; i < 2; i++)
		for (const char *c = parts[i]; *c && n < sizeof source - 1; c++) source[n++] = *c;
	source[n] = 0;
	e = sys5(__NR_mount, (long)source, (long)path, 0, MS_BIND, 0);
	sys1(__NR_close, netns);
	return e < 0 ? failed("pin the pod's network namespace", e) : 0;
}

/* ---- forget: what connection tracking keeps of UDP ports ---- */
#define PORTS 65536
static struct nlattr *within(void *attributes, long size, int type) {
	for (u8 *at = attributes; size >= NLA_HDRLEN;) {
		struct nlattr *a = (struct nlattr *)at;
		if (a->nla_len < NLA_HDRLEN || a->nla_len > size) return 0;
		if ((a->nla_type & NLA_TYPE_MASK) == type) return a;
		at += NLA_ALIGN(a->nla_len);
		size -= NLA_ALIGN(a->nla_len);
	}
	return 0;
}
static void *inside(struct nlattr *a) { return (u8 *)a + NLA_HDRLEN; }
static struct nlattr *nested(struct nlattr *a, int type) { return a ? within(inside(a), a->nla_len - NLA_HDRLEN, type) : 0; }

static void begin_conntrack(struct message *m, int type, int family) {
	begin(m, NFNL_SUBSYS_CTNETLINK << 8 | type, 0);
	struct nfgenmsg *g = extend(m, sizeof *g);
	g->nfgen_family = (u8)family;
}
/* Deletes the connection where it is one of UDP to one of the ports. */
static long forget_one(int socket, struct nlmsghdr *entry, const u8 *ports) {
	struct nfgenmsg *g = NLMSG_DATA(entry);
	u8 *attributes = (u8 *)g + NLMSG_ALIGN(sizeof *g);
	long size = (u8 *)entry + entry->nlmsg_len - attributes;
	struct nlattr *original = within(attributes, size, CTA_TUPLE_ORIG), *protocol = nested(original, CTA_TUPLE_PROTO);
	struct nlattr *number_of = nested(protocol, CTA_PROTO_NUM), *to = nested(protocol, CTA_PROTO_DST_PORT);
	if (!number_of || !to || *(u8 *)inside(number_of) != IPPROTO_UDP) return 0;
	u8 *digits = inside(to);
	if (!ports[digits[0] << 8 | digits[1]]) return 0;
	struct message m;
	begin_conntrack(&m, IPCTNL_MSG_CT_DELETE, g->nfgen_family);
	const int same_as[] = { CTA_TUPLE_ORIG, CTA_ZONE, CTA_ID };
	for (int i = 0; i < 3; i++) {
		struct nlattr *a = within(attributes, size, same_as[i]);
		if (a) attribute(&m, a->nla_type, inside(a), a->nla_len - NLA_HDRLEN);
	}
	long e = transact(socket, &m);
	return e == -ENOENT ? 0 : e;
}
static long forget_listed(int listing, int deleting, const u8 *ports) {
	static u8 answer[32768] __attribute__((aligned(8)));
	struct message m;
	long e = 0;
	begin_conntrack(&m, IPCTNL_MSG_CT_GET, 0);
	m.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	long n = sys6(__NR_sendto, listing, (long)&m, m.header.nlmsg_len, 0, 0, 0);
	for (int over = n < 0; !over && (n = sys6(__NR_recvfrom, listing, (long)answer, sizeof answer, 0, 0, 0)) > 0;)
		for (struct nlmsghdr *h = (struct nlmsghdr *)answer; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			over = h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR;
			long one = h->nlmsg_type == NLMSG_ERROR ? ((struct nlmsgerr *)NLMSG_DATA(h))->error : over ? 0 : forget_one(deleting, h, ports);
			if (one < 0) e = one;
			if (over) break;
		}
	if (n < 0) e = n;
	return e < 0 ? failed("forget connections", e) : 0;
}
static long forget(char **numbers, int count) {
	static u8 ports[PORTS];
	memset(ports, 0, sizeof ports);
	for (int i = 0; i < count; i++) {
		long port = number(numbers[i]);
		if (port < 1 || port >= PORTS) return failed("read the port", -EINVAL);
		ports[port] = 1;
	}
	long listing = open_netlink(NETLINK_NETFILTER), deleting = open_netlink(NETLINK_NETFILTER);
	long e = listing < 0 ? failed("open netlink", listing) : deleting < 0 ? failed("open netlink", deleting) : forget_listed(listing, deleting, ports);
	if (listing >= 0) sys1(__NR_close, listing);
	if (deleting >= 0) sys1(__NR_close, deleting);
	return e;
}

/* ---- serve: a request a line ---- */
static long serve(void) {
	/* One of every port is the longest. */
	static char line[16 + PORTS * sizeof "12345"], *words[1 + PORTS];
	unsigned long have = 0;
	for (;;) {
		long n = sys3(__NR_read, 0, (long)(line + have), sizeof line - have);
		if (n <= 0) return 0;
		have += n;
		unsigned long from = 0;
		for (unsigned long i = 0; i < have; i++) {
			if (line[i] != '\n') continue;
			int count = 0;
			line[i] = 0;
			for (char *c = line + from; *c && count < 1 + PORTS;) {
				words[count++] = c;
				while (*c && *c != ' ') c++;
				if (*c) *c++ = 0;
			}
			long e = failed("unknown request", -22);
			if ((count == 9 || count == 11) && same(words[0], "attach")) e = attach(words + 1, count - 1);
			else if (count == 2 && same(words[0], "loopback")) e = loopback(words[1]);
			else if (count == 3 && same(words[0], "pin")) e = pin(words[1], words[2]);
			else if (count == 2 && same(words[0], "unpin")) e = unpin(words[1]);
			else if (count == 2 && same(words[0], "detach")) e = detach(words[1]);
			else if (count >= 2 && same(words[0], "forget")) e = forget(words + 1, count - 1);
			if (e < 0) report(1, e);
			else say(1, "ok\n");
			from = i + 1;
		}
		for (unsigned long i = from; i < have; i++) line[i - from] = line[i];
		have -= from;
		if (have == sizeof line) return failed("too long a request", -7);
	}
}

/* ---- dial ---- */
static long connect_local(int port) {
	struct sockaddr_in v4;
	memset(&v4, 0, sizeof v4);
	v4.sin_family = AF_INET;
	v4.sin_port = (unsigned short)((port & 0xff) << 8 | port >> 8);
	v4.sin_addr.s_addr = 0x0100007f;
	long s = sys3(__NR_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s >= 0 && sys3(__NR_connect, s, (long)&v4, sizeof v4) == 0) return s;
	struct sockaddr_in6 v6;
	memset(&v6, 0, sizeof v6);
	v6.sin6_family = AF_INET6;
	v6.sin6_port = v4.sin_port;
	v6.sin6_addr.in6_u.u6_addr8[15] = 1;
	s = sys3(__NR_socket, AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0) return s;
	long e = sys3(__NR_connect, s, (long)&v6, sizeof v6);
	return e < 0 ? e : s;
}
static int move(int from, int to, u8 *buffer, long size) {
	long n = sys3(__NR_read, from, (long)buffer, size);
	if (n <= 0) return 0;
	for (long done = 0; done < n;) {
		long w = sys3(__NR_write, to, (long)(buffer + done), n - done);
		if (w <= 0) return 0;
		done += w;
	}
	return 1;
}
static long dial(const char *pid, int port) {
	static u8 buffer[65536];
	long e, s, netns = open_netns(pid);
	if (netns < 0) return failed("open the pod's network namespace", netns);
	if ((e = sys2(__NR_setns, netns, CLONE_NEWNET)) < 0) return failed("enter the pod's network namespace", e);
	if ((s = connect_local(port)) < 0) return failed("connect", s);
	say(2, "connected\n");
	struct pollfd fds[2] = { { .fd = 0, .events = POLLIN }, { .fd = (int)s, .events = POLLIN } };
	for (;;) {
		if (sys5(__NR_ppoll, (long)fds, 2, 0, 0, 8) < 0) return 0;
		if (fds[1].revents && !move((int)s, 1, buffer, sizeof buffer)) return 0;
		if (fds[0].revents && !move(0, (int)s, buffer, sizeof buffer)) {
			sys2(__NR_shutdown, s, 1);
			fds[0].fd = -1;
		}
	}
}

/* ---- bound ---- */
static long bound(char **program, char **environment) {
	sys2(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
	return failed("run the program", sys3(__NR_execve, (long)program[0], (long)program, (long)environment));
}

/* ---- pause ---- */
#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#else
#define MACHINE AUDIT_ARCH_AARCH64
#endif
#define LOAD(field) { BPF_LD | BPF_W | BPF_ABS, 0, 0, __builtin_offsetof(struct seccomp_data, field) }
#define IF(value, jump) { BPF_JMP | BPF_JEQ | BPF_K, jump, 0, value }
#define ANSWER(value) { BPF_RET | BPF_K, 0, 0, value }

/* Whoever gets hold of this process (containers may share its PID namespace, and trace it) can make it do these, and no more. */
static long forbid_all_but_waiting(void) {
	static const struct sock_filter filter[] = {
		LOAD(arch),
		IF(MACHINE, 1),
		ANSWER(SECCOMP_RET_ERRNO | EPERM),
		LOAD(nr),
		IF(__NR_rt_sigtimedwait, 3),
		IF(__NR_wait4, 2),
		IF(__NR_exit_group, 1),
		ANSWER(SECCOMP_RET_ERRNO | EPERM),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog program = { sizeof filter / sizeof *filter, (struct sock_filter *)filter };
	long e = sys5(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (e >= 0) e = sys3(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program);
	/* A kernel without filters has none for anybody. */
	return e == -EINVAL || e == -ENOSYS ? 0 : e;
}
static long pause_forever(void) {
	unsigned long all = ~0ul;
	sys4(__NR_rt_sigprocmask, 0, (long)&all, 0, 8);
	long e = forbid_all_but_waiting();
	if (e < 0) return failed("forbid system calls", e);
	for (;;) {
		long signal = sys4(__NR_rt_sigtimedwait, (long)&all, 0, 0, 8);
		if (signal == SIGTERM || signal == SIGINT) return 0;
		if (signal == SIGCHLD)
			while (sys4(__NR_wait4, -1, 0, WNOHANG, 0) > 0) {}
	}
}

__attribute__((used)) void run(long *stack) {
	long count = stack[0], result;
	char **a = (char **)(stack + 1);
	if (count == 1) result = pause_forever();
	else if ((count == 10 || count == 12) && same(a[1], "attach")) result = attach(a + 2, (int)count - 2);
	else if (count == 3 && same(a[1], "loopback")) result = loopback(a[2]);
	else if (count == 4 && same(a[1], "pin")) result = pin(a[2], a[3]);
	else if (count == 3 && same(a[1], "unpin")) result = unpin(a[2]);
	else if (count == 3 && same(a[1], "detach")) result = detach(a[2]);
	else if (count >= 3 && same(a[1], "forget")) result = forget(a + 2, (int)count - 2);
	else if (count == 4 && same(a[1], "dial")) result = dial(a[2], (int)number(a[3]));
	else if (count == 3 && same(a[1], "bound")) result = bound(a + 2, a + count + 1);
	else if (count == 2 && same(a[1], "serve")) result = serve();
	else result = failed("usage", -22);
	if (result < 0) report(2, result);
	sys1(__NR_exit_group, result < 0);
}
