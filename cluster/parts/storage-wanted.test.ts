/** Which signs start the local driver, on a real API server in this process. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import { PODS, SERVICE_ACCOUNTS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { inlineFolder } from '../../csi/records/node-records.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';
import { storageWanted } from './storage-wanted.ts';

const never = new Promise<void>(() => {});
const using = (name: string, driver: string): Pod => ({
	metadata: { name, namespace: 'default' },
	spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', csi: { driver } }] },
});

test('a pending pod that describes a volume of the driver, not one of another; and what is left of such a pod', async (t) => {
	const stop = new AbortController();
	const dataDir = await mkdtemp(join(tmpdir(), 'kubeling-wanted-'));
	t.teardown(async () => {
		stop.abort();
		await rm(dataDir, { recursive: true });
	});
	const { client } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
	const driver = { driverName: 'local', dataDir, nodeId: 'node' };
	const wanted = storageWanted(driver, never, { client, clock: realClock, log: noLog }, stop.signal);
	for (const pod of [using('another', 'of-others'), using('own', 'local')]) await client.create(PODS, pod);
	t.is(await wanted, 'Pod own');

	await mkdir(join(inlineFolder(dataDir, 'node'), 'vol'), { recursive: true });
	t.is(await storageWanted(driver, never, { client, clock: realClock, log: noLog }, stop.signal), 'what a pod described, vol');
});
