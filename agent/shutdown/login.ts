/**
 * systemd's logind, as a node's shutdown needs it: it says when the machine is about to go down, and waits for those who hold a lock that delays
 * it. Node.js cannot take the lock's descriptor from the bus, so systemd-inhibit holds it for us; ending that process lets go.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { Bus, systemBusAddress } from '../../host/dbus/bus.ts';

const LOGIN = { destination: 'org.freedesktop.login1', path: '/org/freedesktop/login1' } as const;
const MANAGER = 'org.freedesktop.login1.Manager';
const SYSTEMD = {
	...{ destination: 'org.freedesktop.systemd1', path: '/org/freedesktop/systemd1', interface: 'org.freedesktop.systemd1.Manager' },
} as const;
/** Upstream's file. */
const OVERRIDE = '/etc/systemd/logind.conf.d/99-kubelet.conf';
const SIGHUP = 1;

export interface Login {
	/** How long logind waits for those who delay a shutdown. */
	maxDelayMs(signal: AbortSignal): Promise<number>;
	/** Asks for as much; it may still be less. */
	raiseMaxDelay(ms: number, signal: AbortSignal): Promise<void>;
	/** Delays every shutdown until it is disposed of. */
	delayShutdown(signal: AbortSignal): Promise<Disposable>;
	/** True when the machine is about to go down, false when that is called off. Ends with the connection. */
	shutdowns(signal: AbortSignal): AsyncIterable<boolean>;
	close(): void;
}

export interface LoginOptions {
	readonly address?: string;
	/** "systemd-inhibit" and what comes before its own arguments. */
	readonly inhibit?: readonly string[];
	readonly overrideFile?: string;
}

/** AppError Unavailable where there is no logind. */
export async function connectLogin(
	signal: AbortSignal,
	{ address = systemBusAddress(), inhibit = ['systemd-inhibit'], overrideFile = OVERRIDE }: LoginOptions = {},
): Promise<Login> {
	const bus = await Bus.connect(address, signal);
	return {
		async maxDelayMs(stop) {
			const body = [MANAGER, 'InhibitDelayMaxUSec'];
			const [us] = await bus.call({ ...LOGIN, interface: 'org.freedesktop.DBus.Properties', member: 'Get', signature: 'ss', body }, stop);
			return Number(us) / 1000;
		},
		async raiseMaxDelay(ms, stop) {
			await mkdir(dirname(overrideFile), { recursive: true });
			await writeFile(overrideFile, `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${Math.ceil(ms / 1000)}\n`);
			const body = ['systemd-logind.service', 'all', SIGHUP];
			await bus.call({ ...SYSTEMD, member: 'KillUnit', signature: 'ssi', body }, stop);
		},
		delayShutdown: (stop) => holdLock(inhibit, stop),
		async *shutdowns(stop) {
			const heard: boolean[] = [];
			let wake: () => void = () => {};
			let over = false;
			const end = (): void => {
				over = true;
				wake();
			};
			using _listening = bus.listen(({ type, interface: from, member, body }) => {
				if (type !== 'signal' || from !== MANAGER || member !== 'PrepareForShutdown') return;
				heard.push(body?.[0] === true);
				wake();
			});
			await bus.match(`type='signal',interface='${MANAGER}',member='PrepareForShutdown',path='${LOGIN.path}'`, stop);
			stop.addEventListener('abort', end, { once: true });
			bus.closed.then(end, end);
			try {
				for (;;) {
					for (let one = heard.shift(); one !== undefined; one = heard.shift()) yield one;
					if (over) return;
					await new Promise<void>((resolve) => (wake = resolve));
				}
			} finally {
				stop.removeEventListener('abort', end);
			}
		},
		close: () => bus.close(),
	};
}

/** The lock is held once the command that systemd-inhibit runs has spoken. */
async function holdLock([command = '', ...before]: readonly string[], signal: AbortSignal): Promise<Disposable> {
	const words = ['--what=shutdown', '--who=kubelet', '--why=Kubelet needs time to handle node shutdown', '--mode=delay'];
	// It ends with us: its standard input is a pipe of ours.
	const child = spawn(command, [...before, ...words, 'sh', '-c', 'echo held; read -r _'], { stdio: ['pipe', 'pipe', 'ignore'] });
	child.stdin.on('error', () => {});
	const failed = Promise.race([
		once(child, 'error').then(([cause]) => cause as unknown),
		once(child, 'exit').then(([code]) => code as unknown),
	]);
	const held = once(child.stdout, 'data', { signal }).then(() => undefined);
	const failure = await Promise.race([held.then(() => undefined), failed.then((cause) => ({ cause }))]).catch((error: unknown) => {
		letGo(child);
		throw error;
	});
	if (failure !== undefined) throw new AppError('Unavailable', `Cannot delay shutdowns: ${command} failed`, { cause: failure.cause });
	child.unref();
	return { [Symbol.dispose]: () => letGo(child) };
}

function letGo(child: ChildProcess): void {
	child.stdin?.end();
	child.kill('SIGTERM');
}
