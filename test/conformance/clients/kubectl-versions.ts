/** kubectl of four versions against one server: what each asks of discovery, OpenAPI and bodies differs. */
import { eventually } from '../../tools/eventually.ts';
import { Kubectl } from '../../e2e/cluster.ts';
import { kubectl, KUBECTL_VERSIONS, type KubectlVersion } from '../../tools/kubectl.ts';
import { defined, definition, version } from '../crd.ts';
import { behaves } from '../suite.ts';

const SCHEMA = {
	type: 'object',
	properties: { spec: { type: 'object', description: 'What is wanted.', properties: { size: { type: 'integer' } } } },
};

for (const minor of Object.keys(KUBECTL_VERSIONS) as KubectlVersion[])
	behaves(`kubectl ${minor}: create, apply, edit in place, explain, wait, custom resources, access, tokens`, async (world) => {
		const { t, env, namespace } = world;
		const k = new Kubectl(await kubectl(minor), { env }, namespace);
		const manifest = (colour: string): { input: string } => ({
			input: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {colour: ${colour}, on: "yes"}\n`,
		});
		t.regex(await k.must(['apply', '-f', '-'], manifest('red')), /configmap\/m created/);
		t.regex(await k.must(['apply', '-f', '-'], manifest('blue')), /configmap\/m configured/);
		t.regex(await k.must(['apply', '-f', '-'], manifest('blue')), /configmap\/m unchanged/);
		t.regex(await k.must(['apply', '--server-side', '--force-conflicts', '-f', '-'], manifest('green')), /serverside-applied/);
		t.is(await k.must(['get', 'configmap', 'm', '-o', 'jsonpath={.data.colour}']), 'green');
		const { stderr } = await k.run(['apply', '-f', '-'], {
			input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wrong}\ndatum: {}\n',
		});
		t.regex(stderr, /unknown field "datum"/);
		t.regex(await k.must(['create', 'deployment', 'd', '--image=none', '--replicas=0']), /created/);
		await k.must(['set', 'env', 'deployment/d', 'A=B']);
		await k.must(['annotate', 'deployment/d', 'a=b', '--overwrite']);
		await k.must(['wait', '--for=jsonpath={.status.observedGeneration}=3', 'deployment/d', '--timeout=30s']);
		t.regex(await k.must(['get', 'all']), /deployment\.apps\/d/);
		t.regex(await k.must(['explain', 'deployment.spec.replicas']), /Number of desired pods|<integer>/);
		// It ends with 1 while an aggregated group of another test cannot be reached.
		const { stdout } = await k.run(['api-resources', '--api-group=apps', '-o', 'wide']);
		t.regex(stdout, /deployments\s+deploy\s+apps\/v1\s+true\s+Deployment/);
		t.is((await k.must(['auth', 'can-i', 'list', 'pods'])).trim(), 'yes');
		t.is((await k.must(['create', 'token', 'default'])).trim().split('.').length, 3);

		const custom = await defined(world, definition(world, [version('v1', SCHEMA)]));
		const object = JSON.stringify({ apiVersion: `${custom.group}/v1`, kind: custom.kind, metadata: { name: 'x' }, spec: { size: 1 } });
		await eventually('kubectl knows the kind', async () => (await k.run(['apply', '-f', '-'], { input: object })).code === 0);
		t.regex(await k.must(['patch', custom.plural, 'x', '--type=merge', '-p', '{"spec":{"size":2}}']), /patched/);
		t.is(await k.must(['get', custom.plural, 'x', '-o', 'jsonpath={.spec.size}']), '2');
		t.regex(await k.must(['get', custom.plural]), /NAME\s+AGE\nx\s+\d+s/);
		t.regex(await k.must(['delete', custom.plural, '--all']), /deleted/);
		t.regex(await k.must(['delete', 'deployment/d', 'configmap/m']), /configmap "m" deleted/);
	});
