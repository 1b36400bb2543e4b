/** Linux capabilities: their names by number, and what a process holds. */
import { readFile } from 'node:fs/promises';

/** In the order of linux/capability.h; the index is the number. */
export const CAPABILITIES =
	'CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE'.split(
		' ',
	);

/** Pure: the names in one set (CapEff, CapBnd, …) of a /proc/PID/status text. */
export function parseCapabilities(status: string, set: 'CapEff' | 'CapBnd' | 'CapPrm' = 'CapBnd'): readonly string[] {
	const bits = BigInt(`0x${new RegExp(`^${set}:\\s*([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0'}`);
	return CAPABILITIES.filter((_, number) => (bits >> BigInt(number)) & 1n);
}

/** Pure: the names that the running kernel knows, given /proc/sys/kernel/cap_last_cap. */
export function knownCapabilities(lastCap: number): readonly string[] {
	return CAPABILITIES.slice(0, lastCap + 1);
}

export async function capabilitiesOf(pid: number | 'self', set: 'CapEff' | 'CapBnd' = 'CapBnd'): Promise<readonly string[]> {
	return parseCapabilities(await readFile(`/proc/${pid}/status`, 'utf8'), set);
}

export async function kernelCapabilities(): Promise<readonly string[]> {
	return knownCapabilities(Number(await readFile('/proc/sys/kernel/cap_last_cap', 'utf8')));
}
