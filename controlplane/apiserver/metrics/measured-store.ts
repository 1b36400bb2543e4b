/** A store whose commits are timed, by the kind of what is written, under upstream's names. Reads are from memory: there is nothing to time. */
import type { Clock } from '../../../base/clock.ts';
import { Counter, SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';
import { codeOf } from '../../../base/errors.ts';
import { unmarked } from '../../storage/custom-folder.ts';
import type { Change, Follower, Store, Write } from '../../storage/store.ts';

const SECONDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** What servers keep of each other: upstream's do not watch it. */
const UNWATCHED = new Set(['masterleases', 'peerserverleases']);
const LABELS = ['operation', 'group', 'resource'] as const;
type Labels = Record<(typeof LABELS)[number], string>;
type Operation = 'create' | 'update' | 'delete';

interface Kept {
	readonly labels: Labels;
	readonly seconds: Series;
	/** Since the counters were last read. */
	requests: number;
	errors: number;
}

interface Changed {
	readonly labels: Record<'group' | 'resource', string>;
	count: number;
}

export function measuredStore(store: Store, registry: Registry, clock: Clock): Store {
	const kept: Record<Operation, Map<string, Kept>> = { create: new Map(), update: new Map(), delete: new Map() };
	const registers = [registry];
	const seconds = new SeriesHistogram({
		...{ name: 'etcd_request_duration_seconds', buckets: SECONDS, registers },
		help: 'Etcd request latency in seconds for each operation and object type.',
	});
	const counter = (name: string, help: string, field: 'requests' | 'errors'): void => {
		new Counter<(typeof LABELS)[number]>({
			...{ name, help, labelNames: LABELS, registers },
			collect() {
				for (const one of Object.values(kept).flatMap((byPrefix) => [...byPrefix.values()])) {
					if (one[field] > 0) this.inc(one.labels, one[field]);
					one[field] = 0;
				}
			},
		});
	};
	counter('etcd_requests_total', 'Etcd request counts for each operation and object type.', 'requests');
	counter('etcd_request_errors_total', 'Etcd failed request counts for each operation and object type.', 'errors');
	/** By the folder of what changed: each change is one for whoever watches the store. */
	const changed = new Map<string, Changed>();
	const received = (name: string, help: string): void => {
		const told = new Map<Changed, number>();
		new Counter<'group' | 'resource'>({
			...{ name, help, labelNames: ['group', 'resource'], registers },
			collect() {
				for (const one of changed.values()) {
					if (UNWATCHED.has(one.labels.resource)) continue;
					const more = one.count - (told.get(one) ?? 0);
					if (more > 0) this.inc(one.labels, more);
					told.set(one, one.count);
				}
			},
		});
	};
	received('apiserver_storage_events_received_total', 'Number of etcd events received split by kind.');
	received('apiserver_watch_cache_events_received_total', 'Counter of events received in watch cache broken by resource type.');
	const find = ({ key, expect, value }: Write): Kept => {
		const operation = value === undefined ? 'delete' : expect === 'absent' ? 'create' : 'update';
		const prefix = folderOf(key);
		let found = kept[operation].get(prefix);
		if (found === undefined) {
			const labels = { operation, ...namedBy(prefix) };
			found = { labels, seconds: seconds.series(labels), requests: 0, errors: 0 };
			kept[operation].set(prefix, found);
		}
		return found;
	};
	const count = ({ key }: { readonly key: string }): void => {
		const prefix = folderOf(key);
		let found = changed.get(prefix);
		if (found === undefined) changed.set(prefix, (found = { labels: namedBy(prefix), count: 0 }));
		found.count++;
	};
	// What others write comes as well.
	if (store.shared) followAll(store, count);
	const { diskBytes, past } = store;
	return {
		shared: store.shared,
		sealing: store.sealing,
		revision: () => store.revision(),
		compacted: () => store.compacted(),
		fresh: (min, signal) => store.fresh(min, signal),
		get: (key, at) => store.get(key, at),
		list: (prefix, page) => store.list(prefix, page),
		...(past === undefined ? {} : { past: (prefix, page, signal) => past.call(store, prefix, page, signal) }),
		watch: (prefix, from, signal) => store.watch(prefix, from, signal),
		follow: (prefix, from, wake) => store.follow(prefix, from, wake),
		compact: (before) => store.compact(before),
		...(diskBytes === undefined ? {} : { diskBytes: () => diskBytes.call(store) }),
		close: () => store.close(),
		commit(writes, signal) {
			const first = writes[0];
			const done = store.commit(writes, signal);
			if (first === undefined) return done;
			// What is written with it (an address, a port) belongs to the first.
			const one = find(first);
			const started = clock.monotonic();
			one.requests++;
			const ended = (): void => one.seconds.observe((clock.monotonic() - started) / 1000);
			const written = (): void => {
				ended();
				if (!store.shared) writes.forEach(count);
			};
			done.then(written, (error: unknown) => {
				ended();
				// That another write was faster is an answer.
				if (codeOf(error) !== 'Aborted') one.errors++;
			});
			return done;
		},
	};
}

/** "/core/pods" */
function folderOf(key: string): string {
	return key.slice(0, key.indexOf('/', key.indexOf('/', 1) + 1));
}

function namedBy(folder: string): Record<'group' | 'resource', string> {
	const [, group = '', resource = ''] = unmarked(`${folder}/`).split('/');
	return { group: group === 'core' ? '' : group, resource };
}

/** Until the store closes: its change ring goes with it. */
function followAll(store: Store, seen: (change: Change) => void): void {
	let follower: Follower | undefined;
	const wake = (): void => {
		try {
			for (let batch; (batch = follower?.take(MANY)) !== undefined; ) for (const change of batch.changes) seen(change);
		} catch (error) {
			// Compaction, or another look at everything, was faster: those are not counted.
			if (codeOf(error) !== 'OutOfRange') throw error;
			follower?.[Symbol.dispose]();
			follow();
		}
	};
	const follow = (): void => {
		follower = store.follow('', store.revision(), wake);
	};
	follow();
}

const MANY = 1000;
