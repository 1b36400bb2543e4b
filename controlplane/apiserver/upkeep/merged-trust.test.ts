/** Whom extension servers are told to trust: what several servers say of it, in one, and a whole server that keeps it so. */
import test from 'ava';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { idle, VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { createAuthority } from '../../../wire/tls/authority.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import type { FrontProxyOptions } from '../authn/front-proxy.ts';
import { mergedTrust } from './merged-trust.ts';

const clock = new VirtualClock();
const certificate = async (commonName: string, days = 10): Promise<string> => (await createAuthority({ commonName, days }, clock)).certPem;
const [a, b, old] = await Promise.all([certificate('a'), certificate('b'), certificate('old', 1)]);
const [CLIENT, PROXY] = ['client-ca-file', 'requestheader-client-ca-file'];
const NAMES = 'requestheader-allowed-names';
const EMPTY = { 'requestheader-username-headers': '[]', 'requestheader-group-headers': '[]', 'requestheader-extra-headers-prefix': '[]' };
const DAY_MS = 86_400_000;

for (const [name, stored, own, want] of [
	['nothing there', {}, { [CLIENT]: a }, { [CLIENT]: a }],
	['what is there comes first', { [CLIENT]: b }, { [CLIENT]: a }, { [CLIENT]: b + a }],
	['each once', { [CLIENT]: a + b + a }, { [CLIENT]: b }, { [CLIENT]: a + b }],
	['one written in another way', { [CLIENT]: `# of mine\n${a}` }, { [CLIENT]: a }, { [CLIENT]: a }],
	['what has ended goes', { [CLIENT]: old }, { [CLIENT]: a }, { [CLIENT]: a }],
	['what cannot be read counts as nothing', { [CLIENT]: 'x', [PROXY]: a, [NAMES]: '{"a":1}' }, {}, { [PROXY]: a, ...EMPTY, [NAMES]: '[]' }],
	['other keys go', { mine: 'x' }, { [CLIENT]: a }, { [CLIENT]: a }],
	['names without an authority go', { [NAMES]: '["x"]' }, { [CLIENT]: a }, { [CLIENT]: a }],
	[
		'lists are joined, in the form of Go',
		{ [PROXY]: a, [NAMES]: '["x","y"]', 'requestheader-uid-headers': '[]' },
		{ [PROXY]: a, [NAMES]: '["y","<z>"]' },
		{ [PROXY]: a, ...EMPTY, [NAMES]: '["x","y","\\u003cz\\u003e"]' },
	],
	[
		'headers of the uid are told where there are some',
		{ [PROXY]: a },
		{ [PROXY]: a, 'requestheader-uid-headers': '["X-Remote-Uid"]' },
		{ [PROXY]: a, ...EMPTY, [NAMES]: '[]', 'requestheader-uid-headers': '["X-Remote-Uid"]' },
	],
] as const)
	test(`mergedTrust(): ${name}`, (t) => {
		const made = mergedTrust(stored, own, clock.now() + 2 * DAY_MS);
		t.deepEqual(made, want);
		t.deepEqual(mergedTrust(made, own, clock.now() + 2 * DAY_MS), made, 'again, it stays');
	});

test('a certificate that has just ended stays for five minutes', (t) => {
	const end = clock.now() + DAY_MS;
	t.deepEqual(mergedTrust({ [CLIENT]: old }, {}, end + 4 * 60_000), { [CLIENT]: old });
	t.deepEqual(mergedTrust({ [CLIENT]: old }, {}, end + 6 * 60_000), {});
});

const KEY = 'kube-system/extension-apiserver-authentication';
const proxy = (clientCa: string, allowed: string, header: string): FrontProxyOptions => ({
	...{ clientCa, allowedNames: [allowed], usernameHeaders: [header], uidHeaders: [] },
	...{ groupHeaders: ['X-Remote-Group'], extraHeaderPrefixes: ['X-Remote-Extra-'] },
});

test('two servers on one store: each adds its own, and it comes back when it is deleted or edited', async (t) => {
	const time = new VirtualClock(undefined, 1, () => idle(40));
	const store = createMemoryStore(time);
	const stop = new AbortController();
	t.teardown(() => stop.abort());
	const serve = (clientCa: string, frontProxy: FrontProxyOptions) =>
		testApiServer({ clock: time, log: noLog, store, standard: { clientCa, frontProxy } }, stop.signal);
	const one = await serve(a, proxy(a, 'x', 'X-Remote-User'));
	const two = await serve(b, proxy(b, 'y', 'X-User'));
	const { client } = one;
	const data = async () => (await client.get(CONFIG_MAPS, KEY)).data ?? {};
	const both = {
		[CLIENT]: a + b,
		[PROXY]: a + b,
		[NAMES]: '["x","y"]',
		'requestheader-username-headers': '["X-Remote-User","X-User"]',
		'requestheader-group-headers': '["X-Remote-Group"]',
		'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
	};
	t.deepEqual(await data(), both);
	await time.advance(60_000);
	const { resourceVersion } = (await client.get(CONFIG_MAPS, KEY)).metadata;
	await time.advance(5 * 60_000);
	t.is((await client.get(CONFIG_MAPS, KEY)).metadata.resourceVersion, resourceVersion, 'they agree');
	const sorted = (text = ''): string[] => text.split(/(?=-----BEGIN)/).sort();
	const isWhole = async (): Promise<void> => {
		const found = await data();
		t.deepEqual(Object.keys(found).sort(), Object.keys(both).sort());
		t.deepEqual(sorted(found[CLIENT]), sorted(both[CLIENT]));
		t.deepEqual((JSON.parse(found[NAMES] ?? '') as string[]).toSorted(), ['x', 'y']);
	};
	await client.delete(CONFIG_MAPS, KEY);
	await time.advance(1000);
	await isWhole();
	await client.patch(CONFIG_MAPS, KEY, {
		type: 'merge',
		body: { data: { [CLIENT]: 'x', [NAMES]: '["x"]', 'requestheader-group-headers': null } },
	});
	await time.advance(60_000);
	await isWhole();
	// Written as Go does, that is six times as long, and more than an object may hold.
	await client.patch(CONFIG_MAPS, KEY, { type: 'merge', body: { data: { [NAMES]: JSON.stringify(['<'.repeat(200_000)]) } } });

	await time.advance(120_000);
	t.true(((await data())[NAMES] ?? '').length < 20, 'it begins anew');
	await isWhole();
	stop.abort();
	await Promise.all([one.stopped, two.stopped]);
});
