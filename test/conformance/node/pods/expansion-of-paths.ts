/** [sig-node] Variable Expansion in the path below a volume that a container mounts. */
import type { V1Container, V1VolumeMount } from '@kubernetes/client-node';
import { eventually } from '../../../tools/eventually.ts';
import { patch } from '../../patch.ts';
import { gone } from '../../refusals.ts';
import { conformance, type World } from '../../suite.ts';
import { BOUND_MS, containerOf, create, inside, nameOf, output, read, remove, running, STAYS, tells, until, type Wanted } from '../pod.ts';

const VOLUMES = [{ name: 'work', emptyDir: {} }];
const OWN_NAME = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };
const whole: V1VolumeMount = { name: 'work', mountPath: '/whole' };
const part = (subPathExpr: string): V1VolumeMount => ({ name: 'work', mountPath: '/part', subPathExpr });

/** One container; what it mounts of the volume is below a path of its own. */
function wanted(world: World, name: string, script: string, volumeMounts: V1VolumeMount[], env: V1Container['env'] = [OWN_NAME]): Wanted {
	return { name, spec: { volumes: VOLUMES, containers: [containerOf(world, script, { env, volumeMounts })] } };
}

conformance('[sig-node] Variable Expansion should allow substituting values in a volume subpath [Conformance]', async (world) => {
	const script = 'echo hello > /part/file; cat /whole/expanded/file';
	world.t.is(await output(world, wanted(world, 'expanded', script, [whole, part('$(POD_NAME)')])), 'hello\n');
});

/** The container of such a pod cannot be made, and the pod says why. */
async function refused(world: World, value: string, why: RegExp): Promise<void> {
	const name = nameOf(await create(world, wanted(world, 'refused', 'true', [part('$(BAD)')], [{ name: 'BAD', value }])));
	const { status } = await until(world, name, 'cannot make its container', (pod) =>
		pod.status?.containerStatuses?.[0]?.state?.waiting?.reason?.startsWith('CreateContainer'),
	);
	world.t.is(status?.phase, 'Pending');
	world.t.is(status?.containerStatuses?.[0]?.state?.waiting?.reason, 'CreateContainerConfigError');
	world.t.regex(status?.containerStatuses?.[0]?.state?.waiting?.message ?? '', why);
	await tells(world, name, why);
}

conformance('[sig-node] Variable Expansion should fail substituting values in a volume subpath with backticks [Conformance]', (world) =>
	refused(world, '..', /unable to provision SubPath `\.\.`: must not contain '\.\.'/),
);

conformance('[sig-node] Variable Expansion should fail substituting values in a volume subpath with absolute path [Conformance]', (world) =>
	refused(world, '/tmp', /error SubPath `\/tmp` must not be an absolute path/),
);

conformance('[sig-node] Variable Expansion should succeed in writing subpaths in container [Conformance]', async (world) => {
	const { t, namespace } = world;
	const env = [{ name: 'ANNOTATION', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['mysubpath']" } } }];
	const pod = {
		...wanted(world, 'writes', STAYS, [whole, part('$(ANNOTATION)')], env),
		metadata: { annotations: { mysubpath: 'mypath' } },
	};
	await running(world, pod);
	await inside(world, 'writes', 'touch /whole/mypath/seen; touch /part/written');
	// What a path became stays what it is, whatever it was made of says later.
	const path = `/api/v1/namespaces/${namespace}/pods/writes`;
	t.is((await patch(world, path, { metadata: { annotations: { mysubpath: 'mynewpath' } } })).code, 200);
	t.regex(await inside(world, 'writes', 'ls /part; ls /whole'), /^seen\nwritten\nmypath\n$/);
	await remove(world, 'writes', 1);
	await eventually('the pod is gone', () => gone(read(world, 'writes')), BOUND_MS);
});

conformance(
	'[sig-node] Variable Expansion should verify that a failing subpath expansion can be modified during the lifecycle of a container [Slow] [Conformance]',
	async (world) => {
		const { t, namespace } = world;
		const env = [{ name: 'ANNOTATION', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['mysubpath']" } } }];
		const pod = wanted(world, 'mended', STAYS, [part('$(ANNOTATION)')], env);
		const name = nameOf(await create(world, { ...pod, metadata: { annotations: { notmysubpath: 'mypath', mysubpath: '/absolute' } } }));
		await until(world, name, 'cannot make its container', (p) => p.status?.containerStatuses?.[0]?.state?.waiting?.message);
		const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
		t.is((await patch(world, path, { metadata: { annotations: { mysubpath: 'mypath' } } })).code, 200);
		const mended = await until(world, name, 'runs', (p) => p.status?.phase === 'Running');
		t.is(mended.status?.containerStatuses?.[0]?.restartCount, 0);
	},
);
