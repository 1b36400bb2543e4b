/** What this process uses, and what it was built from, under the names that every component has. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import { Counter, Gauge, type Registry } from './metrics.ts';

/**
 * Parts of one process may share a registry: the first one registers. What cannot be read is left out, as by Go's collector.
 * @param proc the process's folder of procfs
 */
export function processMetrics(registry: Registry, clock: Clock, proc = '/proc/self'): void {
	if (registry.getSingleMetric('process_cpu_seconds_total') !== undefined) return;
	const registers = [registry];
	let before = 0;
	new Counter({
		...{ name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds.', registers },
		collect() {
			const { user, system } = process.cpuUsage();
			const seconds = (user + system) / 1e6;
			this.inc(seconds - before);
			before = seconds;
		},
	});
	const gauge = (name: string, help: string, read: () => number): void => {
		new Gauge({
			...{ name, help, registers },
			collect() {
				const value = ifThere(read);
				if (value === undefined) this.remove();
				else this.set(value);
			},
		});
	};
	gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss());
	gauge('process_virtual_memory_bytes', 'Virtual memory size in bytes.', () => statm(proc) * 4096);
	gauge('process_virtual_memory_max_bytes', 'Maximum amount of virtual memory available in bytes.', () => maxVirtualMemory(proc));
	for (const way of ['receive', 'transmit'] as const) {
		const help = `Number of bytes ${way === 'receive' ? 'received' : 'sent'} by the process over the network.`;
		let told = 0;
		new Counter({
			...{ name: `process_network_${way}_bytes_total`, help, registers },
			collect() {
				const octets = ifThere(() => networkOctets(proc)[way]);
				if (octets === undefined) return this.remove();
				this.inc(Math.max(0, octets - told));
				told = octets;
			},
		});
	}
	startMetrics(registry, clock);
	gauge('process_open_fds', 'Number of open file descriptors.', () => readdirSync(join(proc, 'fd')).length);
	gauge('process_max_fds', 'Maximum number of open file descriptors.', () => maxFiles(proc));
}

/** Since when the process runs; beside results of health checks it is all that is told (/metrics/slis). */
export function startMetrics(registry: Registry, clock: Clock): void {
	const name = 'process_start_time_seconds';
	new Gauge({ name, help: 'Start time of the process since unix epoch in seconds.', registers: [registry] }).set(
		processStart(clock) / 1000,
	);
}

/** When the process began, in milliseconds since the epoch. */
export function processStart(clock: Clock): number {
	return clock.now() - process.uptime() * 1000;
}

function ifThere<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined; // no procfs, or a kernel without this part of it
	}
}

function statm(proc: string): number {
	return Number(readFileSync(join(proc, 'statm'), 'utf8').split(' ', 1)[0]);
}

function maxFiles(proc: string): number {
	return Number(/^Max open files +(\d+)/m.exec(readFileSync(join(proc, 'limits'), 'utf8'))?.[1] ?? 0);
}

/** No limit is the greatest number that Go's library has for it. */
function maxVirtualMemory(proc: string): number {
	const [, soft] = /^Max address space +(\S+)/m.exec(readFileSync(join(proc, 'limits'), 'utf8')) ?? [];
	return soft === 'unlimited' ? 2 ** 64 : Number(soft ?? 0);
}

/** Of the process's network namespace: the kernel counts by no process (procfs' IpExt). */
function networkOctets(proc: string): { readonly receive: number; readonly transmit: number } {
	const [names = [], values = []] = readFileSync(join(proc, 'net/netstat'), 'utf8')
		.split('\n')
		.filter((line) => line.startsWith('IpExt:'))
		.map((line) => line.split(' '));
	const of = (name: string): number => Number(values[names.indexOf(name)] ?? 0);
	return { receive: of('InOctets'), transmit: of('OutOctets') };
}

/** Of the first part of a registry that says what it was built from. */
export function buildMetrics(registry: Registry, build: Readonly<Record<string, string>>): void {
	if (registry.getSingleMetric('kubernetes_build_info') !== undefined) return;
	const labelNames = ['build_date', 'compiler', 'git_commit', 'git_tree_state', 'git_version', 'go_version', 'major', 'minor', 'platform'];
	const camel = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
	const info = new Gauge<string>({
		...{ name: 'kubernetes_build_info', labelNames, registers: [registry] },
		help: "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
	});
	info.set(Object.fromEntries(labelNames.map((name) => [name, build[camel(name)] ?? ''])), 1);
}
