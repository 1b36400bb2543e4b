import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test from 'ava';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { StreamingServer } from './server.ts';

/** Neither engine nor state is asked by who never says what he wants. */
async function started(clock: VirtualClock): Promise<StreamingServer> {
	const server = new StreamingServer({ host: '127.0.0.1', port: 0 }, { clock, log: noLog, helperPath: '', engine: {}, state: {} } as never);
	await server.start();
	return server;
}

async function connected(server: StreamingServer): Promise<Socket> {
	const { hostname, port } = new URL(server.url({ kind: 'portforward', sandboxId: 'x' } as never));
	const socket = connect(Number(port), hostname).on('error', () => {});
	socket.resume();
	await once(socket, 'connect');
	return socket;
}

test('whoever connects and does not say what he wants is let go after ten seconds, half a request or none', async (t) => {
	const clock = new VirtualClock();
	const server = await started(clock);
	const sockets = [await connected(server), await connected(server)];
	sockets[0]?.write('GET /exec/');
	await eventually('both are waited for', async () => clock.pending === 2);
	await clock.advance(9999);
	t.true(sockets.every((s) => !s.closed));
	await clock.advance(1);
	await eventually('both are let go', async () => sockets.every((s) => s.closed));
	t.is(clock.pending, 0);
	await server.stop();
});

test('who has asked for something, or has left, is waited for no longer', async (t) => {
	const clock = new VirtualClock();
	const server = await started(clock);
	const [gone, asked] = [await connected(server), await connected(server)];
	await eventually('both are waited for', async () => clock.pending === 2);
	gone.destroy();
	asked.write('GET /exec/unknown HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
	await eventually('neither is waited for', async () => clock.pending === 0);
	t.pass();
	await server.stop();
});

// Alone: it hears of every timer of the process.
test.serial('while nobody is connected, no timer wakes the server up', async (t) => {
	const timers: { readonly _idleTimeout: number }[] = [];
	const hook = createHook({
		init: (_id, type, _trigger, resource) => void (type === 'Timeout' && timers.push(resource as never)),
	}).enable();
	const server = await started(new VirtualClock());
	hook.disable();
	t.deepEqual(
		timers.map((timer) => timer._idleTimeout).filter((ms) => ms < 86_400_000),
		[],
	);
	await server.stop();
});
