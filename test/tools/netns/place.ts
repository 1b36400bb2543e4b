/**
 * A network of a test's own: the namespaces that the process was started in (enter.ts), with an uplink to a namespace "outside" and pods that are processes with network
 * namespaces. Everything ends with this process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readlink } from 'node:fs/promises';
import { runCommand } from '../../../host/command.ts';
import { eventually } from '../eventually.ts';
import { ASK, SERVE } from './peers.ts';

export const HERE = { v4: '192.0.2.1', v6: '2001:db8::1' } as const;
export const OUTSIDE = { v4: '192.0.2.2', v6: '2001:db8::2' } as const;

/** Where a peer runs: in the namespace of a process, or in this one. */
export type Spot = number | undefined;

export class Place {
	readonly #pausePath: string;
	readonly #children = new Set<ChildProcess>();
	outside = 0;

	constructor(pausePath: string) {
		this.#pausePath = pausePath;
	}

	/** Policies that drop what they may, as engines and administrators set them. */
	async make(): Promise<void> {
		await runCommand('mount', ['-t', 'sysfs', 'sysfs', '/sys']);
		await runCommand('mount', ['-t', 'tmpfs', 'tmpfs', '/run']);
		await mkdir('/run/netns');
		this.outside = await this.process();
		const inside = ['-t', String(this.outside), '-n', 'ip'];
		await runCommand('ip', ['-batch', '-'], {
			input: [
				'link set lo up',
				`link add up0 type veth peer name eth0 netns ${this.outside}`,
				`addr add ${HERE.v4}/24 dev up0`,
				`addr add ${HERE.v6}/64 dev up0 nodad`,
				'link set up0 up',
			].join('\n'),
		});
		await runCommand('nsenter', [...inside, '-batch', '-'], {
			input: ['link set lo up', `addr add ${OUTSIDE.v4}/24 dev eth0`, `addr add ${OUTSIDE.v6}/64 dev eth0 nodad`, 'link set eth0 up'].join(
				'\n',
			),
		});
		await runCommand('ip', ['-batch', '-'], { input: `route add default via ${OUTSIDE.v4}\nroute add default via ${OUTSIDE.v6}\n` });
	}

	/** A process in a network namespace of its own. */
	async process(): Promise<number> {
		const own = await readlink('/proc/self/ns/net');
		const child = this.#spawn('unshare', ['--net', this.#pausePath]);
		const pid = child.pid as number;
		await eventually('a namespace', async () => (await readlink(`/proc/${pid}/ns/net`)) !== own);
		return pid;
	}

	/** Answers on TCP and UDP, IPv4 and IPv6, with the address that it sees the asker at. */
	async serve(spot: Spot, port: number): Promise<void> {
		const child = this.#spawn(...inside(spot, process.execPath, ['-e', SERVE, String(port)]));
		const ready = Promise.withResolvers<void>();
		child.stdout?.once('data', () => ready.resolve());
		child.once('exit', () => ready.reject(new Error(`nobody serves port ${port}`)));
		await ready.promise;
	}

	/** The address that a server sees a client at, asked until it answers; UDP from the port `from` where that is told. */
	async ask(spot: Spot, transport: 'tcp' | 'udp', ip: string, port: number, from?: number): Promise<string> {
		return eventually(
			`${transport} ${ip} ${port} from ${spot ?? 'here'}`,
			async () => (await this.tryAsk(spot, transport, ip, port, from)) || undefined,
		);
	}

	/** The same once: empty where no answer comes for a while. */
	async tryAsk(spot: Spot, transport: 'tcp' | 'udp', ip: string, port: number, from?: number): Promise<string> {
		const ports = [port, ...(from === undefined ? [] : [from])].map(String);
		const [command, args] = inside(spot, process.execPath, ['-e', ASK, transport, ip, ...ports]);
		return (await runCommand(command, args)).trim();
	}

	/** A command's output in a namespace. */
	async run(spot: Spot, command: string, ...args: readonly string[]): Promise<string> {
		return runCommand(...inside(spot, command, args));
	}

	async end(pid: number): Promise<void> {
		const child = [...this.#children].find((c) => c.pid === pid);
		if (child === undefined) return;
		const over = new Promise((resolve) => child.once('exit', resolve));
		child.kill('SIGKILL');
		await over;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#children].map((c) => this.end(c.pid as number)));
	}

	/** Children die with this process, however it ends. */
	#spawn(command: string, args: readonly string[]): ChildProcess {
		const child = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
		this.#children.add(child);
		child.once('exit', () => this.#children.delete(child));
		return child;
	}
}

function inside(spot: Spot, command: string, args: readonly string[]): [string, readonly string[]] {
	return spot === undefined ? [command, args] : ['nsenter', ['-t', String(spot), '-n', command, ...args]];
}
