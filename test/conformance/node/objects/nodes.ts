/** [sig-node] Node Lifecycle: of a node that no agent stands behind. */
import { CoreV1Api, type V1Node } from '@kubernetes/client-node';
import { eventually } from '../../../tools/eventually.ts';
import { patch } from '../../patch.ts';
import { gone, refusal } from '../../refusals.ts';
import { conformance } from '../../suite.ts';

conformance('[sig-node] Node Lifecycle should run through the lifecycle of a node [Conformance]', async (world) => {
	const { t, api, namespace, raw } = world;
	const core = api(CoreV1Api);
	const name = `fake-${namespace}`;
	const path = `/api/v1/nodes/${name}`;
	t.teardown(() => core.deleteNode({ name }).catch(() => undefined));
	const made = await core.createNode({
		body: { metadata: { name, labels: { 'conformance-test': namespace } }, spec: { unschedulable: true } },
	});
	t.is((await core.readNode({ name })).metadata?.uid, made.metadata?.uid);
	t.is((await refusal(core.createNode({ body: { metadata: { name } } }))).reason, 'AlreadyExists');
	t.is((await patch(world, path, { metadata: { labels: { patched: 'true' } } })).json<V1Node>().metadata?.labels?.['patched'], 'true');
	const update = (of: string, change: (node: V1Node) => V1Node): Promise<V1Node> =>
		eventually('it is updated', async () => {
			const answer = await raw('PUT', `${path}${of}`, { body: change((await raw('GET', `${path}${of}`)).json<V1Node>()) });
			return answer.code === 200 && answer.json<V1Node>();
		});
	const labelled = await update('', (node) => ({
		...node,
		metadata: { ...node.metadata, labels: { ...node.metadata?.labels, updated: 'true' } },
	}));
	t.is(labelled.metadata?.labels?.['updated'], 'true');
	const condition = { type: 'ConformanceTest', status: 'True', reason: 'Tested', message: 'by a test' };
	t.is((await patch(world, `${path}/status`, { status: { conditions: [condition] } })).code, 200);
	const { status } = (await raw('GET', `${path}/status`)).json<V1Node>();
	t.like(
		status?.conditions?.find(({ type }) => type === condition.type),
		condition,
	);
	const capacity = { cpu: '7' };
	t.is((await update('/status', (node) => ({ ...node, status: { ...node.status, capacity } }))).status?.capacity?.['cpu'], '7');
	await core.deleteCollectionNode({ labelSelector: `conformance-test=${namespace}` });
	await eventually('it is gone', () => gone(core.readNode({ name })));
});
