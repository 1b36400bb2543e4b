import test from 'ava';
import type { IPAddress, ServiceCIDR } from '../../../api/gen/types.ts';
import { SERVICE_CIDRS, SERVICES } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { isFree, overlaps } from './ranges.ts';

const cidr = (name: string, ...cidrs: string[]): ServiceCIDR => ({ metadata: { name }, spec: { cidrs } });
const address = (name: string): IPAddress =>
	({ metadata: { name, labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } } }) as unknown as IPAddress;

for (const [name, one, others, addresses, want] of [
	['no address in it', cidr('a', '10.1.0.0/24'), [], [address('10.2.0.1')], true],
	['an address only in it', cidr('a', '10.1.0.0/24'), [], [address('10.1.0.1')], false],
	['an address that another holds too', cidr('a', '10.1.0.0/24'), [cidr('b', '10.1.0.0/28')], [address('10.1.0.1')], true],
	[
		'its first address, which the other does not give out',
		cidr('a', '10.1.0.0/16'),
		[cidr('b', '10.1.1.0/24')],
		[address('10.1.1.0')],
		false,
	],
	['nor its last', cidr('a', '10.1.0.0/16'), [cidr('b', '10.1.1.0/24')], [address('10.1.1.255')], false],
	['of IPv6 the last one is given out', cidr('a', 'fd00::/64'), [cidr('b', 'fd00::100/120')], [address('fd00::1ff')], true],
	['all of it in another', cidr('a', '10.1.0.0/24'), [cidr('b', '10.0.0.0/8')], [address('10.1.0.1')], true],
	['of another family', cidr('a', 'fd00::/112'), [], [address('10.1.0.1'), address('fd00::9')], false],
] as const)
	test(`isFree(): ${name}`, (t) => t.is(isFree(one, [one, ...others], addresses), want));

test('overlaps(): either way round', (t) => {
	t.true(overlaps(cidr('a', '10.0.0.0/8'), cidr('b', '10.9.0.0/16')));
	t.true(overlaps(cidr('a', '10.9.0.0/16'), cidr('b', '10.0.0.0/8')));
	t.false(overlaps(cidr('a', '10.9.0.0/16'), cidr('b', 'fd00::/64', '10.8.0.0/16')));
});

test('a range is ready, and goes once its last address is gone', async (t) => {
	await controlledCluster(
		async ({ client, pass, refusals }) => {
			const get = (name: string) => client.get(SERVICE_CIDRS, name);
			await pass();
			t.like((await get('kubernetes')).status?.conditions?.[0], { type: 'Ready', status: 'True' });
			await client.create(SERVICE_CIDRS, { metadata: { name: 'more' }, spec: { cidrs: ['10.77.0.0/24'] } });
			await pass();
			t.deepEqual((await get('more')).metadata.finalizers, ['networking.k8s.io/service-cidr-finalizer']);
			t.like((await get('more')).status?.conditions?.[0], { type: 'Ready', status: 'True', message: 'Kubernetes Service CIDR is ready' });
			await client.create(SERVICES, {
				metadata: { namespace: 'default', name: 's' },
				spec: { clusterIP: '10.77.0.9', ports: [{ port: 80 }] },
			});
			await client.delete(SERVICE_CIDRS, 'more');
			await pass(20_000);
			t.like((await get('more')).status?.conditions?.[0], { status: 'False', reason: 'Terminating' });
			await client.delete(SERVICES, 'default/s');
			await pass(20_000);
			await t.throwsAsync(get('more'), { message: /not found/ });
			t.deepEqual(refusals, []);
		},
		{ only: ['service-cidr-controller'] },
	);
});

test('a range whose status cannot be written says so, and is tried again', async (t) => {
	let failures = 1;
	await controlledCluster(
		async ({ client, pass, events }) => {
			await client.create(SERVICE_CIDRS, { metadata: { name: 'more' }, spec: { cidrs: ['10.77.0.0/24'] } });
			await pass(20_000);
			t.deepEqual(await events('more'), ['KubernetesServiceCIDRError: The ServiceCIDR Status can not be set to Ready=True']);
			t.like((await client.get(SERVICE_CIDRS, 'more')).status?.conditions?.[0], { type: 'Ready', status: 'True' });
		},
		{
			only: ['service-cidr-controller'],
			through: (client) => refusing(client, () => failures-- > 0),
		},
	);
});

/** Writes of the range's status fail where they are told to. */
function refusing(client: Client, isNow: () => boolean): Client {
	return new Proxy(client, {
		get(target, property) {
			if (property === 'as') return (agent: string) => refusing(target.as(agent), isNow);
			const own: unknown = Reflect.get(target, property);
			if (property !== 'patch') return typeof own === 'function' ? (own.bind(target) as unknown) : own;
			return async (...write: Parameters<Client['patch']>) => {
				if (write[1] === 'more' && write[3]?.subresource === 'status' && isNow()) throw new AppError('Unavailable', 'not now');
				return await target.patch(...write);
			};
		},
	});
}
