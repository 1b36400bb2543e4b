import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { codeOf } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { textOf, value } from '../../../test/suites/store-suite.ts';
import { openSqliteStore } from '../sqlite-store.ts';
import { CIPHERS, type CipherName } from './ciphers.ts';
import { parseEncryptionConfiguration } from './configuration.ts';
import { LiveSealing } from './live-sealing.ts';
import type { Opened } from './sealer.ts';
import { createSealing, type Sealing } from './sealing.ts';

const KEY_A = Buffer.alloc(32, 1);
const KEY_B = Buffer.alloc(32, 2);
const secret = (key: Buffer): string => key.toString('base64');

/** A configuration for secrets with these providers, as YAML. */
const configuration = (providers: string, resources = '[secrets]'): string =>
	`apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: ${resources}\n  providers: ${providers}\n`;
const keyed = (cipher: string, ...keys: readonly (readonly [string, Buffer])[]): string =>
	`{${cipher}: {keys: [${keys.map(([name, key]) => `{name: ${name}, secret: "${secret(key)}"}`).join(', ')}]}}`;
const sealing = (providers: string, resources?: string): Sealing =>
	createSealing(parseEncryptionConfiguration(configuration(providers, resources)));

const opened = (result: Opened | undefined): object => ({ text: Buffer.from(result?.bytes ?? []).toString(), stale: result?.stale });

for (const cipher of Object.keys(CIPHERS) as CipherName[])
	test(`${cipher}: seals under its key's name, and nothing but the right key opens it`, (t) => {
		const sealer = sealing(`[${keyed(cipher, ['k1', KEY_A])}, {identity: {}}]`)('/core/secrets/a/b');
		const plain = Buffer.from('hello, a value of some length');
		const sealed = Buffer.from(sealer?.seal('/n', plain) as Uint8Array);
		t.is(sealed.subarray(0, 15 + cipher.length).toString('latin1'), `k8s:enc:${cipher}:v1:k1:`);
		t.false(sealed.includes('hello'));
		t.deepEqual(opened(sealer?.open('/n', sealed)), { text: plain.toString(), stale: false });
		t.notDeepEqual(sealer?.seal('/n', plain), sealed, 'a nonce is never used twice');
		t.deepEqual(opened(sealer?.open('/n', plain)), { text: plain.toString(), stale: true }, 'plain values are read and are stale');
		const other = sealing(`[${keyed(cipher, ['k1', KEY_B])}]`)('/core/secrets/a/b');
		// CBC has no check of its own: a wrong key gives an error or nonsense.
		if (cipher !== 'aescbc') t.is(codeOf(t.throws(() => other?.open('/n', sealed))), 'DataLoss');
		const rotated = sealing(`[${keyed(cipher, ['k2', KEY_B], ['k1', KEY_A])}]`)('/core/secrets/a/b');
		t.deepEqual(opened(rotated?.open('/n', sealed)), { text: plain.toString(), stale: true });
		t.throws(() => rotated?.open('/n', plain), { message: /sealed as plain text, which the encryption configuration has no provider for/ });
	});

test('what servers share beside the API is written plain whatever the rules say, and read as it lies', (t) => {
	const all = sealing(`[${keyed('aesgcm', ['k1', KEY_A])}]`, '["*.*"]');
	const sealed = all('/core/secrets/a/b')?.seal('/n', Buffer.from('x')) as Uint8Array;
	for (const key of ['/core/ranges/servicenodeports', '/core/masterleases/10.0.0.1', '/core/peerserverleases/a']) {
		t.is(Buffer.from(all(key)?.seal('/n', Buffer.from('x')) ?? []).toString(), 'x');
		t.deepEqual(opened(all(key)?.open('/n', Buffer.from('x'))), { text: 'x', stale: false });
		t.deepEqual(opened(all(key)?.open('/n', sealed)), { text: 'x', stale: true });
	}
});

for (const cipher of ['aesgcm', 'secretbox'] as const)
	test(`${cipher}: keys that are rotated may have one name`, (t) => {
		const former = sealing(`[${keyed(cipher, ['k:1', KEY_A])}]`)('/core/secrets/a/b');
		const sealed = former?.seal('/n', Buffer.from('x')) as Uint8Array;
		for (const providers of [
			`${keyed(cipher, ['k:1', KEY_B])}, ${keyed(cipher, ['k:1', KEY_A])}`,
			keyed(cipher, ['k:1', KEY_B], ['k:1', KEY_A]),
		])
			t.deepEqual(opened(sealing(`[${providers}]`)('/core/secrets/a/b')?.open('/n', sealed)), { text: 'x', stale: true });
	});

test('a secret may end with its line', (t) => {
	const folded = `[{aescbc: {keys: [{name: k, secret: "${secret(KEY_A)}\\n"}]}}]`;
	t.notThrows(() => parseEncryptionConfiguration(configuration(folded)));
});

test('aesgcm binds the value to its name', (t) => {
	const sealer = sealing(`[${keyed('aesgcm', ['k1', KEY_A])}]`)('/core/secrets/a/b');
	const sealed = sealer?.seal('/one', Buffer.from('x')) as Uint8Array;
	t.is(codeOf(t.throws(() => sealer?.open('/two', sealed))), 'DataLoss');
});

// "upstream" under a key of 32 ones with nonces of sevens, as Go's crypto/aes, crypto/cipher and x/crypto/nacl/secretbox seal it.
for (const [cipher, sealed] of [
	['secretbox', '070707070707070707070707070707070707070707070707ce5985d22ad680c35bab9ee2a2735c6ba19835cea5dbbaff'],
	['aescbc', '070707070707070707070707070707073a5d59b2edbdbd81e13fa8f6285a12fd'],
	['aesgcm', '070707070707070707070707f88399d07dcbd0cc6510164e2012fae80f9b128cb29fd83d'],
] as const)
	test(`${cipher}: opens what Go sealed`, (t) =>
		t.is(Buffer.from(CIPHERS[cipher](KEY_A).decrypt(Buffer.from(sealed, 'hex'), '/registry/secrets/a/b')).toString(), 'upstream'));

for (const [resources, key, sealed] of [
	['[secrets]', '/core/secrets/a/b', true],
	['[secrets]', '/core/configmaps/a/b', false],
	['[pandas.example.com]', '/example.com/pandas/a/b', true],
	['[secrets]', '/example.com/secrets/a/b', false],
	['["*.apps"]', '/apps/deployments/a/b', true],
	['["*."]', '/core/pods/a/b', true],
	['["*."]', '/apps/deployments/a/b', false],
	['["*.*"]', '/apps/deployments/a/b', true],
] as const)
	test(`${resources} ${sealed ? 'seals' : 'leaves'} ${key}`, (t) =>
		t.is(sealing(`[${keyed('aesgcm', ['k', KEY_A])}]`, resources)(key) !== undefined, sealed));

const rules = (...all: readonly (readonly [resources: string, ...providers: string[]])[]): string =>
	`apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n${all
		.map(([resources, ...providers]) => `- {resources: ${resources}, providers: [${providers.join(', ')}]}\n`)
		.join('')}`;

test('the rule that names a resource comes before one of its group, and that before one of all; rules of one name are one', (t) => {
	const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => keyed('secretbox', [name, KEY_A])) as [string, string, string, string];
	const all = createSealing(parseEncryptionConfiguration(rules(['[secrets]', a], ['[secrets]', d], ['["*."]', b], ['["*.*"]', c])));
	const by = (key: string): string => Buffer.from(all(key)?.seal('/n', Buffer.from('x')) as Uint8Array).toString('latin1', 0, 22);
	t.is(by('/core/secrets/n/s'), 'k8s:enc:secretbox:v1:a');
	t.is(by('/core/pods/n/p'), 'k8s:enc:secretbox:v1:b');
	t.is(by('/apps/deployments/n/d'), 'k8s:enc:secretbox:v1:c');
	const former = sealing(`[${d}]`)('/core/secrets/n/s')?.seal('/n', Buffer.from('x')) as Uint8Array;
	t.deepEqual(opened(all('/core/secrets/n/s')?.open('/n', former)), { text: 'x', stale: true });
});

const IDENTITY = '{identity: {}}';
for (const [what, text, message] of [
	[
		'a resource twice',
		rules(['[secrets, secrets]', IDENTITY]),
		/resources\[0\]\.resources: Invalid value: .*: the same resource cannot be specified multiple times/,
	],
	[
		'overlapping names',
		rules(['[secrets, "*."]', IDENTITY]),
		/using overlapping resources such as 'secrets' and '\*\.' in the same resource list/,
	],
	['anything and something', rules(['["*.*", secrets]', IDENTITY]), /using overlapping resources/],
	[
		'a group after one of all',
		rules(['["*.*"]', IDENTITY], ['["*.apps"]', IDENTITY]),
		/resource "\*\.apps" is masked by earlier rule "\*\.\*"/,
	],
	[
		'a resource after its group',
		rules(['["*."]', IDENTITY], ['[secrets]', IDENTITY]),
		/resource "secrets" is masked by earlier rule "\*\."/,
	],
	['capitals', rules(['[Secrets]', IDENTITY]), /resource name should not contain capital letters/],
	['a star', rules(['["*"]', IDENTITY]), /use '\*\.' to encrypt all the resources from core API group/],
	['a resource of all groups', rules(['["secrets.*"]', IDENTITY]), /encrypting the same resource across groups is not supported/],
	['what is no resource', rules(['[serviceipallocations]', IDENTITY]), /resources which do not have REST API\/s cannot be encrypted/],
	['events of the other group', rules(['[events.events.k8s.io]', IDENTITY]), /Use 'events' instead in the config file/],
	['a group that is gone', rules(['[ingresses.extensions]', IDENTITY]), /'extensions' group has been removed/],
	['no document', '[', /neither YAML nor JSON/],
	['another kind', 'kind: Pod', /no kind "Pod" is registered for version ""/],
	['nothing', '', /^error while parsing file: error while loading file: encryption provider configuration file is empty$/],
	[
		'no rules',
		configuration('[]').replace(/resources:.*/s, ''),
		/^error while parsing file: resources: Required value: at least one resources is required$/,
	],
	[
		'a field nobody knows',
		rules(['[secrets]', `${IDENTITY.slice(0, -1)}, other: 1}`]),
		/strict decoding error: unknown field "resources\[0\]\.providers\[0\]\.other"/,
	],
	[
		'a provider that is null',
		configuration('[{identity: null}]'),
		/providers\[0\]: Invalid value: "<omitted>": provider does not contain any/,
	],
	[
		'a secret that is none',
		configuration('[{aescbc: {keys: [{name: k, secret: "a"}, {name: "", secret: ""}]}}]'),
		/secret: Invalid value: "REDACTED": secrets must be base64 encoded, .*keys\[1\]\.name: Required value: name is a mandatory field for a key, .*keys\[1\]\.secret: Required value: secret is a mandatory field for a key\]$/,
	],
	['no providers', configuration('[]'), /resources\[0\]\.providers: Required value: at least one resources\[0\]\.providers is required/],
	[
		'two ciphers in one',
		configuration('[{identity: {}, aescbc: {keys: []}}]'),
		/resources\[0\]\.providers\[0\]: Invalid value: "<omitted>": more than one provider specified in a single element/,
	],
	[
		'a short key',
		configuration(
			keyed('secretbox', ['k', Buffer.alloc(5)])
				.replace(/^/, '[')
				.concat(']'),
		),
		/keys\[0\]\.secret: Invalid value: "REDACTED": secret is not of the expected length, got 5, expected one of \[32\]/,
	],
	['kms', configuration('[{kms: {name: x}}]'), /kms: .*KMS plugins are not supported/],
] as const)
	test(`an encryption configuration with ${what} is refused`, (t) => {
		const error = t.throws(() => parseEncryptionConfiguration(text), { message });
		t.false(error?.message.includes(secret(KEY_A)));
	});

test('sqlite: secrets are sealed at rest with their names and labels, and a key can be rotated by rewriting', async (t) => {
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-sealed-'));
	const path = join(dir, 'state.db');
	const open = (providers: string) => openSqliteStore({ path, clock: new VirtualClock(), sealing: new LiveSealing(sealing(providers)) });
	try {
		const first = await open(`[${keyed('secretbox', ['old', KEY_A])}]`);
		const one = await first.commit([{ key: '/core/secrets/a/b', expect: 'absent', value: value('topsecret', { label: 'hidden' }) }]);
		await first.commit([{ key: '/core/configmaps/a/b', expect: 'absent', value: value('public', { label: 'shown' }) }]);
		await first.close();
		const file = readFileSync(path).toString('latin1');
		t.false(file.includes('topsecret') || file.includes('hidden'));
		t.true(file.includes('public') && file.includes('k8s:enc:secretbox:v1:old:'));

		const second = await open(`[${keyed('secretbox', ['new', KEY_B], ['old', KEY_A])}]`);
		const entry = second.get('/core/secrets/a/b');
		t.is(textOf(entry?.value), 'topsecret');
		t.deepEqual([entry?.value.labels, entry?.value.stale], [{ label: 'hidden' }, true]);
		await second.commit([{ key: '/core/secrets/a/b', expect: one, value: value('topsecret') }]);
		await second.close();

		const third = await open(`[${keyed('secretbox', ['new', KEY_B])}]`);
		t.deepEqual([textOf(third.get('/core/secrets/a/b')?.value), third.get('/core/secrets/a/b')?.value.stale], ['topsecret', undefined]);
		await third.close();
		await t.throwsAsync(openSqliteStore({ path, clock: new VirtualClock() }), {
			message: /secretbox:v1:new:, which the encryption configuration has no provider for/,
		});
	} finally {
		rmSync(dir, { recursive: true });
	}
});

test('keys change while the store is open: new ones write, what lies under others is stale until it is written', async (t) => {
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-sealed-'));
	const path = join(dir, 'state.db');
	try {
		const live = new LiveSealing(sealing(`[${keyed('secretbox', ['old', KEY_A])}]`));
		const store = await openSqliteStore({ path, clock: new VirtualClock(), sealing: live });
		const put = (key: string, expect: bigint | 'absent' = 'absent') => store.commit([{ key, expect, value: value('text') }]);
		const stale = (): readonly boolean[] =>
			['a', 'b', 'c'].map((name) => live.isStale(store.get(`/core/secrets/n/${name}`) ?? (t.fail(name) as never)));
		const a = await put('/core/secrets/n/a');
		await put('/core/secrets/n/b');
		await put('/core/configmaps/n/a');
		const underWay = put('/core/secrets/n/c');
		live.replace(sealing(`[${keyed('secretbox', ['new', KEY_B], ['old', KEY_A])}]`));
		await underWay;
		t.deepEqual(stale(), [true, true, true]);
		t.false(live.isStale(store.get('/core/configmaps/n/a') as never), 'no rule names it');
		await put('/core/secrets/n/a', a);
		t.deepEqual(stale(), [false, true, true]);
		live.replace(sealing(`[${keyed('secretbox', ['new', KEY_B], ['more', KEY_A], ['old', KEY_A])}]`));
		t.deepEqual(stale(), [false, true, true], 'another key that only reads changes nothing');
		live.replace(sealing(`[{identity: {}}, ${keyed('secretbox', ['new', KEY_B], ['old', KEY_A])}]`));
		t.deepEqual(stale(), [true, true, true]);
		await put('/core/secrets/n/d');
		await store.close();
		const file = readFileSync(path).toString('latin1');
		t.true(file.includes('k8s:enc:secretbox:v1:new:') && file.includes('k8s:enc:secretbox:v1:old:'));
	} finally {
		rmSync(dir, { recursive: true });
	}
});

test('a key of the same name with another secret is another key', (t) => {
	const [one, other] = [KEY_A, KEY_B].map((key) => sealing(`[${keyed('aesgcm', ['k', key])}]`)('/core/secrets/n/a'));
	t.not(one?.form, other?.form);
	t.false(one?.form.includes(KEY_A.toString('hex')));
});
