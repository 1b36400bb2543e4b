/** Keys of encryption that change under a running API server: it sees the file change, and a write that changes nothing brings an object under the new key. */
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { SECRETS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { LiveSealing } from '../../storage/encryption/live-sealing.ts';
import { sealingOf } from '../../storage/encryption/read.ts';
import { Transformations } from '../../storage/encryption/transformations.ts';
import { openSqliteStore } from '../../storage/sqlite-store.ts';

const keys = (...names: readonly string[]): string =>
	`apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: [{resources: [secrets], providers: [{secretbox: {keys: [${names
		.map((name) => `{name: ${name}, secret: "${Buffer.alloc(32, name).toString('base64')}"}`)
		.join(', ')}]}}]}]\n`;

test('a changed file is taken up at once, and rewriting rotates the key', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-keys-'));
	const [path, database] = [join(dir, 'encryption.yaml'), join(dir, 'state.db')];
	await writeFile(path, keys('old'));
	const counted = new Transformations(realClock);
	const sealing = new LiveSealing(await sealingOf(keys('old'), counted), keys('old'), counted);
	const store = await openSqliteStore({ path: database, clock: realClock, sealing });
	const stop = new AbortController();
	const standard = { configurations: { encryption: { path, isFollowed: true } } };
	const { server, client, stopped } = await testApiServer({ clock: realClock, log: noLog, store, standard }, stop.signal);
	const made = await client.create(SECRETS, { metadata: { name: 's', namespace: 'default' }, stringData: { word: 'x' } });
	const again = async () => (await client.update(SECRETS, made)).metadata.resourceVersion;
	t.is(await again(), made.metadata.resourceVersion, 'nothing to write');
	const formNow = (): string => sealing.of('/core/secrets/default/s')?.form ?? '';
	await writeFile(`${path}.new`, keys('new', 'old'));
	await rename(`${path}.new`, path);
	while (!formNow().includes(':new:')) await realClock.sleep(5);
	const rewritten = await again();
	t.not(rewritten, made.metadata.resourceVersion);
	t.deepEqual((await client.get(SECRETS, 'default/s')).data, made.data);
	const admin = { name: 'a', uid: '', groups: ['system:masters'], extra: {} };
	const health = await server.transport(admin).request({ method: 'GET', path: '/readyz?verbose' }, stop.signal);
	const lines = (await text(health.body)).split('\n');
	for (const name of ['kms-providers', 'poststarthook/start-encryption-provider-config-automatic-reload'])
		t.true(lines.includes(`[+]${name} ok`), name);
	const metrics = await text((await server.transport(admin).request({ method: 'GET', path: '/metrics' }, stop.signal)).body);
	for (const key of ['old', 'new'])
		t.regex(
			metrics,
			new RegExp(`^apiserver_storage_transformation_operations_total\\{resource="secrets",.*prefix="${key}:",status="OK"\\} `, 'm'),
		);
	t.regex(metrics, /^apiserver_storage_data_key_generation_failures_total 0$/m);
	stop.abort();
	await stopped;
	await store.close();
	t.true((await readFile(database)).includes('k8s:enc:secretbox:v1:new:'));
	await rm(dir, { recursive: true });
});
