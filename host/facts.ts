/** What a Node status says of the machine: identity, kernel, system, capacity. Read once at start. */
import { readFile, readdir } from 'node:fs/promises';
import { arch, availableParallelism, hostname, release } from 'node:os';
import { readIfExists } from '../base/files.ts';
import { memoryInfo } from './memory.ts';

export interface HostFacts {
	readonly hostname: string;
	readonly machineId: string;
	readonly systemUuid: string;
	readonly bootId: string;
	readonly kernelVersion: string;
	/** The pretty name of os-release, as "Debian GNU/Linux 12 (bookworm)". */
	readonly osImage: string;
	/** Go's name: amd64, arm64. */
	readonly architecture: string;
	readonly cpus: number;
	readonly memoryBytes: number;
	readonly swapBytes: number;
	/** Bytes reserved by huge page size in Kubernetes' spelling, as {"2Mi": 0}. */
	readonly hugePages: Readonly<Record<string, number>>;
}

export async function hostFacts(): Promise<HostFacts> {
	const [machineId, systemUuid, boot, osRelease, memory, hugePages] = await Promise.all([
		firstLine('/etc/machine-id', '/var/lib/dbus/machine-id'),
		firstLine('/sys/class/dmi/id/product_uuid', '/proc/device-tree/vm,uuid', '/etc/machine-id'),
		bootId(),
		readIfExists('/etc/os-release'),
		memoryInfo(),
		readHugePages(),
	]);
	return {
		hostname: hostname(),
		machineId,
		systemUuid,
		bootId: boot,
		kernelVersion: release(),
		osImage: prettyName(osRelease ?? ''),
		architecture: goArchitecture(arch()),
		cpus: availableParallelism(),
		memoryBytes: memory.totalBytes,
		swapBytes: memory.swapTotalBytes,
		hugePages,
	};
}

/** Another one after each boot. */
export function bootId(): Promise<string> {
	return firstLine('/proc/sys/kernel/random/boot_id');
}

/** Pure: PRETTY_NAME of an os-release file. */
export function prettyName(osRelease: string): string {
	const value = /^PRETTY_NAME=(.*)$/m.exec(osRelease)?.[1] ?? 'Linux';
	return value.replace(/^(['"])(.*)\1$/, '$2');
}

export function goArchitecture(nodeArch: string): string {
	return { x64: 'amd64', ia32: '386' }[nodeArch] ?? nodeArch;
}

async function firstLine(...paths: readonly string[]): Promise<string> {
	for (const path of paths) {
		const text = await readFile(path, 'utf8').catch(() => '');
		if (text.trim() !== '') return text.trim().replaceAll('\0', '');
	}
	return '';
}

async function readHugePages(): Promise<Record<string, number>> {
	const root = '/sys/kernel/mm/hugepages';
	const result: Record<string, number> = {};
	for (const name of await readdir(root).catch(() => [])) {
		const kb = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
		if (kb === 0) continue;
		const pages = Number(await readFile(`${root}/${name}/nr_hugepages`, 'utf8').catch(() => '0'));
		result[kb >= 1048576 ? `${kb / 1048576}Gi` : kb >= 1024 ? `${kb / 1024}Mi` : `${kb}Ki`] = pages * kb * 1024;
	}
	return result;
}
