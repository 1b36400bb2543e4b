import test from 'ava';
import type { SelfSubjectAccessReview } from '../../api/gen/types.ts';
import { API_SERVICES, CLUSTER_ROLES, ENDPOINT_SLICES, SELF_SUBJECT_ACCESS_REVIEWS, SERVICES } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { createClient } from '../../client/rest.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { METRICS_USER, publishMetrics } from './metrics-objects.ts';

test('the provider is led to, at the address of its last start, and may read nodes, pods and metrics of nodes and no more', async (t) => {
	const stop = new AbortController();
	const { server, client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await stopped;
	});
	await publishMetrics(client, '192.0.2.1', 1111, 'an older CA', stop.signal);
	await client.patch(CLUSTER_ROLES, METRICS_USER, { type: 'merge', body: { rules: [] } });
	await publishMetrics(client, '2001:db8::1', 2222, 'CA', stop.signal);

	const slice = await client.get(ENDPOINT_SLICES, 'kube-system/kubeling-metrics-1');
	t.like(slice, { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::1'] }], ports: [{ port: 2222 }] });
	t.is((await client.get(SERVICES, 'kube-system/kubeling-metrics')).spec?.ports?.[0]?.port, 443);
	const { spec } = await client.get(API_SERVICES, 'v1beta1.metrics.k8s.io');
	t.is(Buffer.from(String(spec?.caBundle), 'base64').toString(), 'CA');

	const provider = createClient(server.transport({ name: METRICS_USER, uid: '', groups: ['system:authenticated'], extra: {} }));
	const may = async (verb: string, resource: string, subresource = ''): Promise<boolean | undefined> => {
		const review = { metadata: {}, spec: { resourceAttributes: { verb, resource, subresource } } };
		return (await provider.create<SelfSubjectAccessReview>(SELF_SUBJECT_ACCESS_REVIEWS, review)).status?.allowed;
	};
	await eventually('its rights count', () => may('get', 'nodes', 'metrics'));
	for (const [verb, resource, subresource, want] of [
		['list', 'nodes', '', true],
		['get', 'pods', '', true],
		['list', 'pods', '', true],
		['get', 'nodes', 'proxy', false],
		['create', 'nodes', 'metrics', false],
		['watch', 'pods', '', false],
		['get', 'secrets', '', false],
		['update', 'nodes', '', false],
	] as const)
		t.is(await may(verb, resource, subresource), want, `${verb} ${resource}/${subresource}`);
});

test('an APIService that somebody else has made stays his', async (t) => {
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await stopped;
	});
	const theirs = {
		...{ group: 'metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true },
		service: { name: 'metrics-server', namespace: 'kube-system' },
	};
	await client.create(API_SERVICES, { metadata: { name: 'v1beta1.metrics.k8s.io' }, spec: theirs });
	await publishMetrics(client, '192.0.2.1', 1111, 'CA', stop.signal);
	t.like((await client.get(API_SERVICES, 'v1beta1.metrics.k8s.io')).spec, theirs);
});
