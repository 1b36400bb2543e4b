import test from 'ava';
import type { Endpoints, EndpointSlice } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { kubernetesEndpoints } from '../bootstrap/system-objects.ts';
import { wantedEndpoints, wantedSlice } from './endpoints.ts';

const own = { address: '192.0.2.1', port: 6443 };
const https = (port: number) => [{ name: 'https', port, protocol: 'TCP' }];
const at = (...ips: readonly string[]) => ips.map((ip) => ({ ip }));
const stored = (subsets: Endpoints['subsets']) => ({ ...kubernetesEndpoints('', 0), subsets }) as Endpoints & KubeObject;
const one = '192.0.2.1';
const other = '192.0.2.2';

for (const [name, had, addresses, want] of [
	['none there', undefined, [one], [{ addresses: at(one), ports: https(6443) }]],
	['no addresses there', [], [one], [{ addresses: at(one), ports: https(6443) }]],
	[
		'others, too, whose port stays',
		[{ addresses: at(other), ports: https(443) }],
		[one, other],
		[{ addresses: at(one, other), ports: https(443) }],
	],
	['others are gone, and their port', [{ addresses: at(other), ports: https(443) }], [one], [{ addresses: at(one), ports: https(6443) }]],
	['in another order it is right', [{ addresses: at(other, one), ports: https(443) }], [one, other], 'same'],
	['one twice', [{ addresses: at(one, one), ports: https(443) }], [one, other], [{ addresses: at(one, other), ports: https(443) }]],
	[
		'one that is not ready',
		[{ addresses: at(one), notReadyAddresses: at(other), ports: https(6443) }],
		[one],
		[{ addresses: at(one), ports: https(6443) }],
	],
	['the last one has gone', [{ addresses: at(one), ports: https(6443) }], [], []],
	['nobody, of nobody', [], [], 'same'],
] as const)
	test(`wantedEndpoints(): ${name}`, (t) => {
		const present = had === undefined ? undefined : stored(had as never);
		const made = wantedEndpoints(present, addresses, own);
		if (want === 'same') t.is(made, present as never);
		else {
			t.deepEqual(made.subsets, want as never);
			t.is(wantedEndpoints(made, addresses, own), made, 'again, it stays');
		}
	});

for (const [name, ips, type, want] of [
	['of IPv4', [one], undefined, 'IPv4 192.0.2.1'],
	['of IPv6', ['fd00::1'], undefined, 'IPv6 fd00::1'],
	['of both: those of IPv4 alone', ['fd00::1', one], undefined, 'IPv4 192.0.2.1'],
	['of another type', ['fd00::1'], 'IPv4', 'IPv6 fd00::1'],
	['of none: the type stays', [], 'IPv6', 'IPv6 '],
] as const)
	test(`wantedSlice(): ${name}`, (t) => {
		const endpoints = stored([{ addresses: at(...ips), ports: https(6443) }]);
		const before =
			type === undefined ? undefined : ({ metadata: {}, addressType: type, endpoints: [] } as unknown as EndpointSlice & KubeObject);
		const made = wantedSlice(before, endpoints);
		t.is(`${made.addressType} ${(made.endpoints ?? []).flatMap((e) => e.addresses).join()}`, want);
		t.deepEqual(made.metadata.labels, { 'kubernetes.io/service-name': 'kubernetes' });
		t.is(wantedSlice(made, endpoints), made, 'again, it stays');
	});
