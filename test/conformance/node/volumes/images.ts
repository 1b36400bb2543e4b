/** [sig-node] ImageVolume: an image's files as a volume, pulled anew for each pod. */
import { FakeRegistry } from '../../../fakes/registry.ts';
import { run } from '../../../tools/command.ts';
import { conformance } from '../../suite.ts';
import { output } from '../pod.ts';

conformance(
	'[sig-node] ImageVolume should succeed with pod and pull policy of Always [LinuxOnly] [MinimumKubeletVersion:1.35] [Conformance]',
	async (world) => {
		const { t, namespace } = world;
		await using registry = await FakeRegistry.start(`of the image ${namespace}`);
		const reference = `${registry.address}/volume:1`;
		t.teardown(() => run('docker', ['image', 'rm', reference]));
		const text = await output(world, {
			script: 'cat /image/file; touch /image/new 2>&1; true',
			container: { volumeMounts: [{ name: 'image', mountPath: '/image' }] },
			spec: { volumes: [{ name: 'image', image: { reference, pullPolicy: 'Always' } }] },
		});
		t.regex(text, new RegExp(`^of the image ${namespace}`));
		t.regex(text, /Read-only file system/);
	},
);
