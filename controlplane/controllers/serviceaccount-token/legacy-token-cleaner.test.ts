import test from 'ava';
import type { Secret } from '../../../api/gen/types.ts';
import type { Resource } from '../../../api/resource.ts';
import { CONFIG_MAPS, SECRETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import type { Informers } from '../../../client/informers.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { cleaningStep, legacyTokenCleaner } from './legacy-token-cleaner.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const dayBefore = (days: number): string => new Date(NOW - days * DAY_MS).toISOString().slice(0, 10);
const old = (labels: Record<string, string>, more: object = {}): Secret => ({
	metadata: {
		...{ namespace: 'n', name: 's', creationTimestamp: new Date(NOW - 800 * DAY_MS).toISOString() },
		labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [`kubernetes.io/legacy-token-${key}`, value])),
		...more,
	},
	type: 'kubernetes.io/service-account-token',
});
const names = { metadata: { namespace: 'n', name: 'a', uid: 'u' }, secrets: [{ name: 's' }] };
const mounting = { metadata: {}, spec: { containers: [], volumes: [{ name: 'v', secret: { secretName: 's' } }] } };
const projecting = {
	metadata: {},
	spec: { containers: [], volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 's' } }] } }] },
};
const reading = {
	metadata: {},
	spec: { containers: [{ name: 'c', env: [{ name: 'T', valueFrom: { secretKeyRef: { name: 's', key: 'token' } } }] }] },
};

for (const [name, secret, account, pods, step] of [
	['never used', old({}), names, [], 'mark'],
	['used long ago', old({ 'last-used': dayBefore(400) }), names, [], 'mark'],
	['used in the last year', old({ 'last-used': dayBefore(300) }), names, [], 'keep'],
	['nobody can read when', old({ 'last-used': 'soon' }), names, [], 'keep'],
	['new', old({}, { creationTimestamp: new Date(NOW - DAY_MS).toISOString() }), names, [], 'keep'],
	['made by hand', old({}), { ...names, secrets: [] }, [], 'keep'],
	['of another account of that name', old({}, { annotations: { 'kubernetes.io/service-account.uid': 'x' } }), names, [], 'keep'],
	['of an account that is gone', old({}), undefined, [], 'keep'],
	['a pod mounts it', old({}), names, [mounting], 'keep'],
	['a pod mounts it among others', old({}), names, [projecting], 'keep'],
	['a pod has it in its environment', old({}), names, [reading], 'keep'],
	['marked this year', old({ 'invalid-since': dayBefore(300) }), names, [], 'keep'],
	['marked a year ago', old({ 'invalid-since': dayBefore(366) }), names, [], 'delete'],
] as const)
	test(`old tokens of service accounts: ${name}`, (t) => t.is(cleaningStep(secret, account as never, pods as never, NOW), step));

test('the cleaner has the rights that its look takes, and leaves what is young', async (t) => {
	await controlledCluster(
		async ({ client, pass, refusals }) => {
			const tracking = 'kube-system/kube-apiserver-legacy-service-account-token-tracking';
			await client.patch(CONFIG_MAPS, tracking, { type: 'merge', body: { data: { since: '2024-01-01' } } });
			const account = await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'a' }, secrets: [{ name: 's' }] });
			const annotations = { 'kubernetes.io/service-account.name': 'a', 'kubernetes.io/service-account.uid': account.metadata.uid };
			await client.create(SECRETS, {
				metadata: { namespace: 'default', name: 's', annotations },
				type: 'kubernetes.io/service-account-token',
			});
			await pass();
			t.is((await client.get(SECRETS, 'default/s')).metadata.labels, undefined);
			t.deepEqual(refusals, []);
		},
		{ only: ['legacy-serviceaccount-token-cleaner-controller'] },
	);
});

test('a secret that cannot be marked keeps none of the others, and is tried again', async (t) => {
	const secrets = ['first', 'refused', 'last'].map((name) => old({}, { name }));
	const account = { metadata: { namespace: 'n', name: 'a' }, secrets: secrets.map(({ metadata }) => ({ name: metadata.name })) };
	const informer = ({ plural }: Resource): object => ({
		lister: { list: () => (plural === 'secrets' ? secrets : []), get: () => account },
	});
	const marked: string[] = [];
	const client = {
		get: () => Promise.resolve({ metadata: {}, data: { since: '2024-01-01' } }),
		patch: (_: Resource, key: string) => {
			marked.push(key);
			return key === 'n/refused' ? Promise.reject(new AppError('PermissionDenied', 'refused')) : Promise.resolve();
		},
	} as unknown as Client;
	const { reconcile } = legacyTokenCleaner(client, { get: informer } as unknown as Informers, new VirtualClock(NOW));
	await t.throwsAsync(async () => reconcile('all', new AbortController().signal), { message: 'refused' });
	t.deepEqual(marked, ['n/first', 'n/refused', 'n/last']);
});
