/** Drivers that do not answer, or are not there: what is told of them. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Registry } from '../../base/metrics.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { NAME } from '../../test/fakes/memory-node.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';
import { VolumeOperationFigures } from '../volume/figures.ts';
import { CALL_MS, connectDriver } from './drivers.ts';

test('a driver that does not answer in time is told in the words of Go', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-silent-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const server = createServer();
	const connected = once(server, 'connection');
	await once(server.listen(join(dir, 'csi.sock')), 'listening');
	t.teardown(() => server.close());
	const clock = new VirtualClock();
	const late = connectDriver(NAME, join(dir, 'csi.sock'), clock, new AbortController().signal);
	const told = t.throwsAsync(late, { message: 'rpc error: code = DeadlineExceeded desc = context deadline exceeded' });
	const [socket] = (await connected) as [Socket];
	await clock.advance(CALL_MS);
	await told;
	socket.destroy();
});

test('a driver that is not there is told in the words of Go, and its calls are counted', async (t) => {
	const registry = new Registry();
	const figures = new VolumeOperationFigures(registry);
	const called = (call: FinishedCall): void => figures.called(NAME, call);
	const away = connectDriver(NAME, '/nowhere/csi.sock', new VirtualClock(), new AbortController().signal, called);
	await t.throwsAsync(away, {
		message:
			'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /nowhere/csi.sock: connect: no such file or directory"',
	});
	const labels = `driver_name="${NAME}",method_name="/csi.v1.Node/NodeGetInfo",grpc_status_code="Unavailable",migrated="false"`;
	t.true((await registry.metrics()).includes(`csi_operations_seconds_count{${labels}} 1`));
});
