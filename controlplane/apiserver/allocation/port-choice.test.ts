import test from 'ava';
import type { Service, ServiceSpec } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { choosePorts, heldPorts, type PortSource } from './port-choice.ts';

/** 30000 is somebody else's; what is given away is 31000 and the next ones. */
function source(...taken: number[]): PortSource & { readonly taken: Set<number> } {
	const all = new Set([30_000, ...taken]);
	let next = 31_000;
	const take = (port: number): string | undefined => (all.has(port) ? 'provided port is already allocated' : void all.add(port));
	const any = (): number => {
		all.add(next);
		return next++;
	};
	return { taken: all, take, any, release: (port) => void all.delete(port) };
}

const [TCP, UDP] = ['TCP', 'UDP'];
const NODE_PORT = 'NodePort';
type Ports = NonNullable<ServiceSpec['ports']>;
const service = (spec: ServiceSpec): Service & KubeObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec });
const numbersOf = ({ spec }: Service): unknown => spec?.ports?.map(({ nodePort }) => nodePort);

for (const [what, ports, want] of [
	['a number each', [{ port: 80 }, { port: 81 }], [31_000, 31_001]],
	['one number for all protocols of a port', [{ port: 53 }, { port: 53, protocol: UDP }], [31_000, 31_000]],
	['the number that a later one of the port asks for', [{ port: 53 }, { port: 53, protocol: UDP, nodePort: 30_053 }], [30_053, 30_053]],
	[
		'another number of the same port',
		[
			{ port: 53, nodePort: 30_053 },
			{ port: 53, protocol: UDP, nodePort: 30_054 },
		],
		[30_053, 30_054],
	],
	[
		'no number that another port of it has, in any protocol',
		[
			{ port: 80, nodePort: 30_080 },
			{ port: 81, protocol: UDP, nodePort: 30_080 },
		],
		'Service "s" is invalid: spec.ports[1].nodePort: Invalid value: 30080: provided port is already allocated',
	],
	[
		'no number that is taken',
		[{ port: 79 }, { port: 80, nodePort: 30_000 }],
		'Service "s" is invalid: spec.ports[1].nodePort: Invalid value: 30000: provided port is already allocated',
	],
	// Which validation refuses then.
	[
		'the same number again for the same port',
		[
			{ port: 80, nodePort: 30_080 },
			{ port: 80, nodePort: 30_080 },
		],
		[30_080, 30_080],
	],
] as readonly (readonly [string, Ports, readonly number[] | string])[])
	test(`choosePorts(): a new Service takes ${what}`, (t) => {
		const made = service({ type: NODE_PORT, ports });
		if (typeof want === 'string') return void t.throws(() => choosePorts(made, undefined, source()), { message: want });
		choosePorts(made, undefined, source());
		t.deepEqual(numbersOf(made), want);
	});

const HAD: ServiceSpec = { type: NODE_PORT, ports: [{ port: 80, protocol: TCP, nodePort: 30_080 }] };
for (const [what, ports, want] of [
	['keeps what it had', [{ port: 81, protocol: TCP, nodePort: 30_080 }], [30_080]],
	[
		'gets numbers of their own for new ports',
		[
			{ port: 80, nodePort: 30_080 },
			{ port: 80, protocol: UDP },
		],
		[30_080, 31_000],
	],
	[
		'may have one number in several protocols, of whatever ports',
		[
			{ port: 80, protocol: TCP, nodePort: 30_081 },
			{ port: 81, protocol: UDP, nodePort: 30_081 },
		],
		[30_081, 30_081],
	],
	[
		'may not have one twice in the same protocol',
		[
			{ port: 80, protocol: UDP, nodePort: 30_081 },
			{ port: 81, protocol: UDP, nodePort: 30_081 },
		],
		'duplicate nodePort: {UDP 30081}',
	],
] as readonly (readonly [string, Ports, readonly number[] | string])[])
	test(`choosePorts(): a changed Service ${what}`, (t) => {
		const changed = service({ type: NODE_PORT, ports });
		const from = source(30_080);
		if (typeof want === 'string') return void t.throws(() => choosePorts(changed, HAD, from), { message: want });
		choosePorts(changed, HAD, from);
		t.deepEqual(numbersOf(changed), want);
		t.is(from.taken.has(30_080), want.includes(30_080));
	});

const NAMED: ServiceSpec = { type: 'ExternalName', externalName: 'a.b', ports: [{ port: 80, protocol: TCP, nodePort: 30_000 }] };
for (const [what, before, next, refusal] of [
	['takes nothing', undefined, NAMED, undefined],
	['gives back nothing that it only names', NAMED, { ...NAMED, ports: [] }, undefined],
	['gives back what it had as another type', HAD, { ...HAD, type: 'ExternalName' }, undefined],
	['has to get what it names once it is another type', NAMED, { ...NAMED, type: NODE_PORT }, /provided port is already allocated$/],
] as readonly (readonly [string, ServiceSpec | undefined, ServiceSpec, RegExp | undefined])[])
	test(`choosePorts(): a mere name ${what}`, (t) => {
		const from = source(...heldPorts(before));
		const choose = (): void => choosePorts(service(structuredClone(next)), before, from);
		if (refusal === undefined) choose();
		else t.throws(choose, { message: refusal });
		t.deepEqual([...from.taken], [30_000]);
	});

test('heldPorts(): a mere name holds none, so that nothing is given back with it', (t) => t.deepEqual(heldPorts(NAMED), []));

const CHECKED: ServiceSpec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_100 };
for (const [what, before, next, want] of [
	['taken with the policy that needs it', { type: 'LoadBalancer' }, { ...CHECKED, healthCheckNodePort: undefined }, [31_000]],
	['taken as it is asked for', undefined, CHECKED, [30_100]],
	['given back with the policy', CHECKED, { type: 'LoadBalancer' }, []],
	// It may not change, says validation.
	['not looked at where there was one', CHECKED, { ...CHECKED, healthCheckNodePort: 30_000 }, []],
] as readonly (readonly [string, ServiceSpec | undefined, ServiceSpec, readonly number[]])[])
	test(`choosePorts(): the port of health checks is ${what}`, (t) => {
		const from = source(...(before === CHECKED ? [30_100] : []));
		choosePorts(service({ ...next }), before, from);
		from.taken.delete(30_000);
		t.deepEqual([...from.taken], [...want]);
	});
