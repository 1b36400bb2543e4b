/** [sig-api-machinery] AdmissionWebhook: connections to pods are asked about too. */
import { CoreV1Api } from '@kubernetes/client-node';
import { deny, rule, startHooks, webhook } from '../hooks.ts';
import { conformance } from '../suite.ts';
import { sleeper } from '../pods.ts';
import { configured } from '../webhook-configurations.ts';

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to deny attaching pod [Conformance]',
	async (world) => {
		const { t, k, api, namespace, image } = world;
		const hooks = await startHooks(world, { '/attach': () => deny('attaching to pod "to-be-attached" is not allowed') });
		await configured(world, 'validating', webhook(world, hooks, '/attach', [rule('pods/attach', ['CONNECT'])]));
		await api(CoreV1Api).createNamespacedPod({ namespace, body: sleeper(image, 'to-be-attached') });
		await k.must(['wait', '--for=condition=Ready', 'pod/to-be-attached', '--timeout=110s']);
		const { code, stderr } = await k.run(['attach', 'to-be-attached', '-i', '-c', 'c']);
		t.is(code, 1);
		t.regex(stderr, /denied the request: attaching to pod "to-be-attached" is not allowed/);
	},
);
