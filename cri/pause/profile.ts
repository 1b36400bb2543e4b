/**
 * What a sandbox's pause process may ask of the kernel. It needs four calls, but the runtime that starts it is under its profile already and has to get to its end. All of
 * that is less than an engine's own profile allows, from which a container runtime takes a quarter of the start to make a filter for three architectures.
 */
import { messageOf } from '../../base/errors.ts';
import type { HostAbilities } from '../host-abilities.ts';

const FILES =
	'access chdir close close_range dup dup2 dup3 faccessat faccessat2 fchdir fchmod fchown fcntl fdatasync fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 ioctl lseek ' +
	'lstat mkdir mkdirat newfstatat open openat openat2 pread64 preadv pwrite64 pwritev read readlink readlinkat readv stat statfs statx umask unlink unlinkat write writev';
const MEMORY = 'brk madvise membarrier mincore mmap mprotect mremap munmap';
const PROCESSES =
	'arch_prctl execve execveat exit exit_group getpgid getpgrp getpid getppid getrusage getsid gettid kill pidfd_open pidfd_send_signal prctl rseq set_robust_list set_tid_address setpgid setsid ' +
	'tgkill tkill uname wait4 waitid';
const IDENTITY =
	'capget capset getegid geteuid getgid getgroups getresgid getresuid getuid seccomp setfsgid setfsuid setgid setgroups setregid setresgid setresuid setreuid setuid';
const SIGNALS = 'pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sigaltstack signalfd signalfd4';
const WAITING =
	'clock_getres clock_gettime clock_nanosleep epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd2 futex futex_waitv getitimer gettimeofday nanosleep pipe pipe2 ' +
	'poll ppoll pselect6 restart_syscall sched_getaffinity sched_setaffinity sched_yield select setitimer time timer_create timer_delete timer_settime timerfd_create timerfd_settime';
const MESSAGES =
	'connect getpeername getrandom getrlimit getsockname getsockopt prlimit64 recvfrom recvmsg sendmsg sendto setrlimit setsockopt shutdown socketpair';

/** CLONE_NEW* of clone(2), as every profile of Docker Engine forbids them. */
const NEW_NAMESPACES = 0x7e020000;
const ENOSYS = 38;

const ALLOW = 'SCMP_ACT_ALLOW';
/** As Docker Engine takes it; no architectures is that of the machine alone, without those that it also runs. */
const PROFILE = JSON.stringify({
	defaultAction: 'SCMP_ACT_ERRNO',
	syscalls: [
		{ names: [FILES, MEMORY, PROCESSES, IDENTITY, SIGNALS, WAITING, MESSAGES].flatMap((names) => names.split(' ')), action: ALLOW },
		{ names: ['clone'], action: ALLOW, args: [{ index: 0, value: NEW_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }] },
		// Its flags are in memory, where no filter sees them: whoever has not got it takes clone.
		{ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
	],
});

export class PauseProfile {
	#inForce: boolean;

	constructor({ seccomp }: Pick<HostAbilities, 'seccomp'>) {
		this.#inForce = seccomp;
	}

	/** For the engine's `SecurityOpt`; undefined where its own profile is to be had. */
	get option(): string | undefined {
		return this.#inForce ? `seccomp=${PROFILE}` : undefined;
	}

	/** Whether a start may have failed by it: the runtime did not get to its end, for whatever it says. */
	mayHaveFailed(error: unknown): boolean {
		return this.#inForce && /OCI runtime|shim task|operation not permitted/i.test(messageOf(error));
	}

	/** A runtime needs more calls than this names: from now on the engine's own profile is to be had. */
	giveUp(): void {
		this.#inForce = false;
	}
}
