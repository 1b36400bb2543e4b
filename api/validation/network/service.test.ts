import test from 'ava';
import type { Service, ServiceSpec } from '../../gen/types.ts';
import { service } from './service.ts';
import type { FieldError } from '../../field-error.ts';

const SPEC: ServiceSpec = {
	type: 'ClusterIP',
	sessionAffinity: 'None',
	internalTrafficPolicy: 'Cluster',
	ipFamilies: ['IPv4'],
	ipFamilyPolicy: 'SingleStack',
	ports: [{ name: 'a', port: 80, targetPort: 80, protocol: 'TCP' }],
};

for (const [what, spec, want] of [
	['a service without addresses needs no ports', { clusterIP: 'None', clusterIPs: ['None'], ports: [] }, []],
	[
		'without addresses is one whose list says so, whatever the field beside it says',
		{ clusterIP: 'None', clusterIPs: ['::1'], ports: [] },
		[
			'spec.ports: Required value',
			'spec.clusterIPs: Invalid value: ["::1"]: first value must match `clusterIP`',
			'spec.clusterIPs[0]: Invalid value: "::1": expected an IPv4 value as indicated by `ipFamilies[0]`',
		],
	],
	[
		'the same of two addresses of one family',
		{ clusterIP: 'None', clusterIPs: ['1.1.1.1', '1.1.1.2'] },
		[
			'spec.clusterIPs: Invalid value: ["1.1.1.1","1.1.1.2"]: first value must match `clusterIP`',
			'spec.clusterIPs: Invalid value: ["1.1.1.1","1.1.1.2"]: may specify no more than one IP for each IP family',
		],
	],
	['an address is in the list, too', { clusterIP: '1.1.1.1' }, ['spec.clusterIPs: Required value']],
] as readonly (readonly [string, ServiceSpec, readonly string[]])[])
	test(`service(): ${what}`, (t) => {
		const out: FieldError[] = [];
		service(out, { metadata: { name: 'a', namespace: 'n' }, spec: { ...SPEC, ...spec } } as Service);
		t.deepEqual(
			out.map(({ field, message }) => `${field}: ${message}`),
			[...want],
		);
	});
