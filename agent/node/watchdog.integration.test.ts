/** What systemd hears of the agent, by its own systemd-notify. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { eventually } from '../../test/tools/eventually.ts';
import { serviceManagerIn } from './watchdog.ts';

/** Node.js has no such sockets. */
const LISTENER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True: print(s.recv(4096).decode(), flush=True)
`;

test('systemd-notify says it to the socket that systemd gave', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-notify-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const socket = join(folder, 's');
	const listener = spawn('python3', ['-c', LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
	t.teardown(async () => {
		const gone = once(listener, 'exit');
		listener.kill();
		await gone;
	});
	let said = '';
	const bound = Promise.withResolvers<void>();
	listener.stdout.setEncoding('utf8').on('data', (text: string) => {
		said += text;
		bound.resolve();
	});
	await bound.promise;
	const manager = serviceManagerIn({ ...process.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '30000000', WATCHDOG_PID: String(process.pid) });
	t.is(manager?.watchdogMs, 30_000);
	await manager?.notify('READY=1');
	await manager?.notify('WATCHDOG=1');
	const heard = (): readonly string[] => said.split('\n').filter((line) => line.includes('=') && !line.startsWith('BARRIER'));
	await eventually('both are heard', async () => heard().length >= 2);
	t.deepEqual(heard(), ['READY=1', 'WATCHDOG=1']);
	t.is(serviceManagerIn({}), undefined);
});
