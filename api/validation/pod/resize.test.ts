/** What the resize subresource of a pod may change. */
import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateUpdate } from '../validation.ts';

const META = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

const CONTAINER = {
	name: 'c',
	image: 'i',
	resources: { requests: { cpu: '1' }, limits: { cpu: '2' } },
	terminationMessagePath: '/x',
	terminationMessagePolicy: 'File',
	imagePullPolicy: 'Always',
};
const POD = { containers: [CONTAINER], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', terminationGracePeriodSeconds: 30 };
for (const [rule, resources, want] of [
	['cpu and memory may change', { requests: { cpu: '1500m' }, limits: { cpu: '2' } }, []],
	[
		'a request may not go',
		{ limits: { cpu: '2' } },
		['spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed'],
	],
	[
		'the class may not change',
		{ requests: { cpu: '2', memory: '1' }, limits: { cpu: '2', memory: '1' } },
		['spec: Invalid value: "": Pod QOS Class may not change as a result of resizing'],
	],
] as const)
	test(`resize: ${rule}`, (t) => {
		const of = (spec: object): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { ...META }, spec }) as unknown as KubeObject;
		const next = of({ ...POD, containers: [{ ...CONTAINER, resources }] });
		const found = validateUpdate('', 'v1', 'Pod', next, of(POD), true, 'resize').map(({ field, message }) => `${field}: ${message}`);
		t.deepEqual(found, want);
	});
