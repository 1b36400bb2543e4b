/** The examples run against a real API server, and docs/client.md shows their very lines. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { CONFIG_MAPS, EVENTS, NAMESPACES } from '../../api/resources.ts';
import { ignore } from '../../base/errors.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { testApiServer, type TestApiServer } from '../fakes/api-server.ts';
import { must, Running } from '../tools/command.ts';
import { eventually } from '../tools/eventually.ts';

const root = join(import.meta.dirname, '..', '..');
const stop = new AbortController();
let server: TestApiServer;
let dir: string;
let env: NodeJS.ProcessEnv;

test.before(async () => {
	server = await testApiServer({ port: 0, clock: realClock, log: noLog }, stop.signal);
	dir = await mkdtemp(join(tmpdir(), 'kubeling-examples-'));
	env = { ...process.env, KUBECONFIG: join(dir, 'kubeconfig') };
	const ca = Buffer.from(server.ca).toString('base64');
	const config = {
		...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
		clusters: [{ name: 'test', cluster: { server: server.url, 'certificate-authority-data': ca } }],
		users: [{ name: 'test', user: { token: server.token } }],
		contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
	};
	await writeFile(env['KUBECONFIG'] ?? '', JSON.stringify(config));
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
	await rm(dir, { recursive: true, force: true });
});

test('client-tour.ts: every piece of the client does what it says', async (t) => {
	const said = await must(process.execPath, [join(root, 'examples', 'client-tour.ts')], { env });
	t.deepEqual(said.trim().split('\n'), [
		'transport: 200',
		'client: x is 2',
		'errors: 409 AlreadyExists',
		'any kind: tourist',
		'watch: ADDED b',
		'reflector: complete',
		'informer: 1 with x=2',
		'work queue: one, two',
		'controller: b is seen',
		'events: written when the recorder has stopped',
		'leader election: led',
	]);
	const { items } = await server.client.list(EVENTS);
	t.true(items.some(({ reason, message }) => reason === 'Toured' && message === 'Somebody came by'));
});

test('namespace-config.ts: a label makes the ConfigMap, keeps it, changes it, and takes it away', async (t) => {
	const { client } = server;
	const label = (contact: string | null): Promise<unknown> =>
		client.patch(NAMESPACES, 'labelled', { type: 'merge', body: { metadata: { labels: { 'example.kubeling.dev/contact': contact } } } });
	const becomes = async (wanted: string | undefined): Promise<void> => {
		let contact: string | undefined;
		await eventually(
			() => `the contact ${wanted}, it is ${contact}; the example said: ${example.output}`,
			async () => {
				contact = (await client.get(CONFIG_MAPS, 'labelled/contact').catch(ignore('NotFound')))?.data?.['contact'];
				return contact === wanted;
			},
		);
	};
	await client.create(NAMESPACES, { metadata: { name: 'labelled', labels: { 'example.kubeling.dev/contact': 'ops' } } });
	await using example = new Running(process.execPath, [join(root, 'examples', 'namespace-config.ts')], env);
	await becomes('ops');
	await label('dev');
	await becomes('dev');
	await client.delete(CONFIG_MAPS, 'labelled/contact');
	await becomes('dev');
	await client.patch(CONFIG_MAPS, 'labelled/contact', { type: 'merge', body: { data: { contact: 'somebody else' } } });
	await becomes('dev');
	await label(null);
	await becomes(undefined);
	t.pass();
});

test('docs/client.md shows lines of the examples', async (t) => {
	const sources = await Promise.all(
		['client-tour.ts', 'namespace-config.ts'].map((name) => readFile(join(root, 'examples', name), 'utf8')),
	);
	const known = new Set(sources.flatMap((text) => text.split('\n').map((line) => line.trim())));
	const page = await readFile(join(root, 'docs', 'client.md'), 'utf8');
	const shown = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].flatMap(([, code = '']) => code.split('\n').map((line) => line.trim()));
	t.true(shown.length > 30);
	t.deepEqual(
		shown.filter((line) => !known.has(line) && !line.includes("'kubeling/")),
		[],
	);
});
