import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateCreate } from '../validation.ts';

test('ranges of Services: each is looked at before both together', (t) => {
	const object = { metadata: { name: 'a' }, spec: { cidrs: ['10.0.0.1/8', '11.0.0.0/8'] } } as unknown as KubeObject;
	t.deepEqual(
		validateCreate('networking.k8s.io', 'v1', 'ServiceCIDR', object, false).map(({ field }) => field),
		['spec.cidrs[0]', 'spec.cidrs'],
	);
});
