/** The Store on real etcd servers: the shared suite on each minor version, and what only a distributed store can show. */
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import { noLog } from '../../../base/log.ts';
import { plainForm } from '../../../test/suites/plain-form.ts';
import { storeSuite, textOf, value } from '../../../test/suites/store-suite.ts';
import { Etcd, ETCD_VERSIONS, type EtcdOptions, type EtcdVersion } from '../../../test/tools/etcd.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import type { Change, Store } from '../store.ts';
import { LiveSealing } from '../encryption/live-sealing.ts';
import { sealingOf } from '../encryption/read.ts';
import type { StoredForm } from './stored-form.ts';
import { openEtcdStore, progressIsOrdered } from './etcd-store.ts';

const log = noLog;
const servers = new Map<EtcdVersion, Etcd>();
let opened = 0;

const connect = (etcd: Etcd, prefix = '/registry/'): Promise<Store> =>
	openEtcdStore({ endpoints: etcd.endpoints, clock: realClock, log, form: plainForm(prefix) });

test.after.always(async () => {
	for (const etcd of servers.values()) await etcd[Symbol.asyncDispose]();
});

for (const version of ETCD_VERSIONS)
	storeSuite(test.serial, `etcd ${version}`, async () => {
		let etcd = servers.get(version);
		if (etcd === undefined) servers.set(version, (etcd = await Etcd.start({ version })));
		const prefix = `/registry-${opened++}/`;
		let store = await connect(etcd, prefix);
		return {
			store,
			ttl: { ms: 2000, pass: undefined },
			async reopen() {
				await store.close();
				store = await connect(etcd, prefix);
				return store;
			},
			dispose: () => store.close(),
		};
	});

const withEtcd = async (options: EtcdOptions, body: (etcd: Etcd) => Promise<void>): Promise<void> => {
	await using etcd = await Etcd.start(options);
	await body(etcd);
};

test.serial('etcd: what one server writes another one reads after a consistent read, and neither overwrites the other', (t) =>
	withEtcd({}, async (etcd) => {
		const [a, b] = [await connect(etcd), await connect(etcd)];
		const stop = new AbortController();
		const seen = b.watch('/', b.revision(), stop.signal);
		const one = await a.commit([{ key: '/x', expect: 'absent', value: value('a') }]);
		t.true((await b.fresh(undefined, stop.signal)) >= one);
		t.is(textOf(b.get('/x')?.value), 'a');
		const two = await b.commit([{ key: '/x', expect: one, value: value('b') }]);
		t.is(codeOf(await t.throwsAsync(a.commit([{ key: '/x', expect: one, value: value('lost') }]))), 'Aborted');
		t.is(a.get('/x')?.revision, two, 'who lost sees what it lost to');
		const changes: Change[] = [];
		for await (const batch of seen) if (changes.push(...batch.changes) >= 2) break;
		t.deepEqual(
			changes.map((c) => c.revision),
			[one, two],
		);
		stop.abort();
		await Promise.all([a.close(), b.close()]);
	}),
);

test.serial('etcd: what was before a server began is read from etcd, until that has compacted it', (t) =>
	withEtcd({}, async (etcd) => {
		const a = await connect(etcd);
		for (const name of ['a', 'b', 'c', 'd']) await a.commit([{ key: `/x/${name}`, expect: 'absent', value: value(name) }]);
		const at = a.revision();
		await a.commit([{ key: '/x/c', expect: a.get('/x/c')?.revision ?? 0n }]);
		const b = await connect(etcd);
		const { signal } = new AbortController();
		t.is(codeOf(t.throws(() => b.list('/x/', { at }))), 'OutOfRange');
		const page = await b.past?.('/x/', { at, after: '/x/a', limit: 2 }, signal);
		t.deepEqual([page?.entries.map(({ key }) => key), page?.more, page?.remaining], [['/x/b', '/x/c'], true, 1]);
		await a.compact(a.revision());
		await a.compact(a.revision());
		t.is(codeOf(await t.throwsAsync(b.past?.('/x/', { at }, signal) ?? Promise.resolve())), 'OutOfRange');
		await Promise.all([a.close(), b.close()]);
	}),
);

test.serial('etcd: a write that stands is told as done, though nobody waits any more until it is read', (t) =>
	withEtcd({}, async (etcd) => {
		const store = await connect(etcd);
		for (let i = 0; i < 20; i++) {
			const { signal } = leaving();
			const revision = await store.commit([{ key: `/k${i}`, expect: 'absent', value: value('x') }], signal);
			t.true(revision > 0n);
		}
		await store.fresh(undefined, AbortSignal.timeout(60_000));
		t.is(store.list('/', {}).entries.length, 20);
		await store.close();
	}),
);

/** Of somebody who goes as soon as anybody would hear of it. */
function leaving(): AbortController {
	const controller = new AbortController();
	const { signal } = controller;
	signal.addEventListener = (...heard: Parameters<AbortSignal['addEventListener']>) => {
		AbortSignal.prototype.addEventListener.apply(signal, heard);
		controller.abort();
	};
	return controller;
}

for (const version of ['3.4', '3.6'] as const)
	test.serial(`etcd ${version}: a consistent read does not wait for keys of other programs`, (t) =>
		withEtcd({ version }, async (etcd) => {
			const [ours, other] = [await connect(etcd), await connect(etcd, '/other/')];
			for (let i = 0; i < 3; i++) await other.commit([{ key: `/k${i}`, expect: 'absent', value: value('x') }]);
			t.true((await ours.fresh(undefined, AbortSignal.timeout(60_000))) >= other.revision());
			t.is(ours.list('/', {}).entries.length, 0);
			await Promise.all([ours.close(), other.close()]);
		}),
	);

test.serial('etcd: members may go one at a time; a watch goes on where it was, an acknowledged write stays', (t) =>
	withEtcd({ members: 3 }, async (etcd) => {
		const store = await connect(etcd);
		const stop = new AbortController();
		const seen = store.watch('/', store.revision(), stop.signal);
		const acknowledged: string[] = [];
		for (let i = 0; i < 6; i++) {
			if (i % 2 === 1) await etcd.kill((i - 1) / 2);
			// A member that goes takes its answers with it: such a write is repeated as a client would.
			let attempt = 0;
			const key = await retried('a write', async () => {
				const next = `/k${i}.${attempt++}`;
				await store.commit([{ key: next, expect: 'absent', value: value('x') }]);
				return next;
			});
			acknowledged.push(key);
			if (i % 2 === 1) await etcd.startMember((i - 1) / 2);
		}
		const keys = new Set<string>();
		for await (const { changes } of seen) {
			for (const { key } of changes) keys.add(key);
			if (acknowledged.every((key) => keys.has(key))) break;
		}
		t.is(acknowledged.length, 6);
		stop.abort();
		await store.close();
	}),
);

test.serial('etcd: a mirror that missed compacted changes reads everything again and says so to its watchers', (t) =>
	withEtcd({ members: 1 }, async (etcd) => {
		const [behind, other] = [await connect(etcd), await connect(etcd)];
		const one = await behind.commit([{ key: '/a', expect: 'absent', value: value('1') }]);
		const watch = behind.watch('/', behind.revision(), AbortSignal.timeout(60_000))[Symbol.asyncIterator]();
		const waiting = watch.next();
		await etcd.kill(0);
		await etcd.startMember(0);
		// The other store comes back first where it can; the compaction then passes what the first has not seen.
		const two = await retried('a write', () => other.commit([{ key: '/a', expect: one, value: value('2') }]));
		await retried('a compaction', () => other.compact(two));
		await behind.fresh(two, AbortSignal.timeout(60_000));
		t.is(textOf(behind.get('/a')?.value), '2');
		// Whether the change or its loss was seen depends on who came back first; silence would be wrong.
		const outcome = await Promise.resolve(waiting).then(
			(r) => (r.done === true ? 'ended' : 'change'),
			(error: unknown) => codeOf(error),
		);
		t.true(['change', 'OutOfRange'].includes(outcome), outcome);
		await Promise.all([behind.close(), other.close()]);
	}),
);

const keys = (...names: readonly string[]): string =>
	`apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: [{resources: [secrets], providers: [{secretbox: {keys: [${names
		.map((name) => `{name: ${name}, secret: "${Buffer.alloc(32, name).toString('base64')}"}`)
		.join(', ')}]}}]}]\n`;

async function sealed(etcd: Etcd, ...names: readonly string[]) {
	const sealing = new LiveSealing(await sealingOf(keys(...names)));
	const plain = plainForm('/registry/');
	const form: StoredForm = {
		...plain,
		toValue: (key, given) => sealing.of(key)?.seal(key, plain.toValue(key, given)) ?? plain.toValue(key, given),
		fromValue: (key, bytes) => plain.fromValue(key, Buffer.from(sealing.of(key)?.open(key, bytes).bytes ?? bytes)),
	};
	return { sealing, store: await openEtcdStore({ endpoints: etcd.endpoints, clock: realClock, log: noLog, form, sealing }) };
}

test.serial('etcd: what another server sealed with a new key is read once that key is known here', (t) =>
	withEtcd({ members: 1 }, async (etcd) => {
		const [behind, ahead] = [await sealed(etcd, 'one'), await sealed(etcd, 'two', 'one')];
		await ahead.store.commit([{ key: '/core/secrets/n/new', expect: 'absent', value: value('word') }]);
		await behind.store.commit([{ key: '/core/secrets/n/old', expect: 'absent', value: value('other') }]);
		await ahead.store.fresh(undefined, AbortSignal.timeout(60_000));
		t.is(behind.store.get('/core/secrets/n/new'), undefined);
		const watching = behind.store.watch('/', behind.store.revision(), AbortSignal.timeout(60_000))[Symbol.asyncIterator]().next();
		behind.sealing.replace(await sealingOf(keys('two', 'one')));
		t.is(codeOf(await t.throwsAsync(watching)), 'OutOfRange', 'who watches lists again');
		t.is(textOf(behind.store.get('/core/secrets/n/new')?.value), 'word');
		const old = behind.store.get('/core/secrets/n/old');
		t.true(old !== undefined && behind.sealing.isStale(old));
		const next = behind.store.watch('/', behind.store.revision(), AbortSignal.timeout(60_000))[Symbol.asyncIterator]().next();
		await ahead.store.commit([{ key: '/core/secrets/n/more', expect: 'absent', value: value('x') }]);
		t.is((await next).done, false, 'the watch goes on');
		await Promise.all([behind.store.close(), ahead.store.close()]);
	}),
);

test.serial('etcd: keys that change while etcd does not answer count once it does', (t) =>
	withEtcd({ members: 1 }, async (etcd) => {
		const [behind, ahead] = [await sealed(etcd, 'one'), await sealed(etcd, 'two', 'one')];
		const made = await ahead.store.commit([{ key: '/core/secrets/n/new', expect: 'absent', value: value('word') }]);
		await behind.store.fresh(made, AbortSignal.timeout(60_000));
		t.is(behind.store.get('/core/secrets/n/new'), undefined);
		await etcd.kill(0);
		behind.sealing.replace(await sealingOf(keys('two', 'one')));
		// A try to read again fails meanwhile.
		await t.throwsAsync(behind.store.fresh(undefined, AbortSignal.timeout(1000)));
		await etcd.startMember(0);
		const entry = await eventually('it is read', () => Promise.resolve(behind.store.get('/core/secrets/n/new')));
		t.is(textOf(entry.value), 'word');
		await Promise.all([behind.store.close(), ahead.store.close()]);
	}),
);

test.serial('etcd: over TLS with client certificates', async (t) => {
	const authority = await createAuthority({ commonName: 'etcd-ca', days: 1 }, realClock);
	const leaf = await issue(
		authority,
		{ commonName: 'etcd', days: 1, dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server', 'client'] },
		realClock,
	);
	const tls = { caPem: authority.certPem, certPem: leaf.certPem, keyPem: leaf.keyPem };
	await withEtcd({ tls }, async (etcd) => {
		const store = await openEtcdStore({ endpoints: etcd.endpoints, tls, clock: realClock, log, form: plainForm('/registry/') });
		await store.commit([{ key: '/x', expect: 'absent', value: value('1') }]);
		t.is(textOf(store.get('/x')?.value), '1');
		await store.close();
		const stranger = openEtcdStore({
			endpoints: etcd.endpoints,
			tls: { caPem: tls.caPem },
			clock: realClock,
			log,
			form: plainForm('/registry/'),
		});
		t.regex((await t.throwsAsync(stranger))?.message ?? '', /etcd at https:.* cannot be used/);
	});
});

test('etcd: an endpoint where nothing listens is named', async (t) => {
	const error = await t.throwsAsync(
		openEtcdStore({ endpoints: ['http://127.0.0.1:1'], clock: realClock, log, form: plainForm('/registry/') }),
	);
	t.is(codeOf(error), 'Unavailable');
	t.regex(error?.message ?? '', /etcd at http:\/\/127\.0\.0\.1:1 cannot be used/);
});

test('etcd: progress is asked for only where it cannot overtake events', (t) => {
	for (const [version, ordered] of [
		['3.4.23', false],
		['3.4.31', true],
		['3.5.12', false],
		['3.5.13', true],
		['3.6.0', true],
		['4.0.0', true],
	] as const)
		t.is(progressIsOrdered(version), ordered, version);
});

/** Until some member leads again. */
async function retried<T>(what: string, work: () => Promise<T>): Promise<T> {
	let why = '';
	const { done } = await eventually(
		() => `${what}: ${why}`,
		() =>
			work().then(
				(done) => ({ done }),
				(error: unknown) => void (why = messageOf(error)),
			),
	);
	return done;
}
