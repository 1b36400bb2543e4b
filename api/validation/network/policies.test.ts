import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateCreate } from '../validation.ts';

const shown = (errors: readonly { readonly field: string; readonly message: string }[]): string[] =>
	errors.map(({ field, message }) => `${field}: ${message}`);
const metadata = { name: 'a', namespace: 'n' };
const policy = (rule: object): KubeObject => ({ metadata, spec: { podSelector: {}, ingress: [rule] } }) as unknown as KubeObject;
const block = (cidr: string, ...except: string[]): object => ({ from: [{ ipBlock: { cidr, except } }] });
const AT = 'spec.ingress[0]';

for (const [rule, given, want] of [
	[
		'an end before its start shows the start',
		{ ports: [{ port: 5, endPort: 3 }] },
		[`${AT}.ports[0].endPort: Invalid value: 5: must be greater than or equal to \`port\``],
	],
	[
		'a name has no end, which is told first',
		{ ports: [{ port: '-a', endPort: 3 }] },
		[
			`${AT}.ports[0].endPort: Invalid value: 3: may not be specified when \`port\` is non-numeric`,
			`${AT}.ports[0].port: Invalid value: "-a": must not begin or end with a hyphen`,
		],
	],
	['a smaller network may be left out', block('10.0.0.0/8', '10.1.0.0/16'), []],
	[
		'not the same one',
		block('10.0.0.0/8', '10.0.0.0/8'),
		[`${AT}.from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of \`cidr\``],
	],
	[
		'nor one beside it',
		block('fd00::/16', 'fe00::/32'),
		[`${AT}.from[0].ipBlock.except[0]: Invalid value: "fe00::/32": must be a strict subset of \`cidr\``],
	],
	[
		'numbers with zeros before them are networks, too',
		block('010.0.0.0/8', '11.0.0.0/16'),
		[
			`${AT}.from[0].ipBlock.cidr: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length`,
			`${AT}.from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``,
		],
	],
] as const)
	test(`network policies: ${rule}`, (t) =>
		t.deepEqual(shown(validateCreate('networking.k8s.io', 'v1', 'NetworkPolicy', policy(given), true)), [...want]));

test('ingresses: a host is no address, however it is written', (t) => {
	const object = { metadata, spec: { rules: [{ host: '010.1.1.1' }] } } as unknown as KubeObject;
	t.deepEqual(shown(validateCreate('networking.k8s.io', 'v1', 'Ingress', object, true)), [
		'spec.rules[0].host: Invalid value: "010.1.1.1": must be a DNS name, not an IP address',
	]);
});
