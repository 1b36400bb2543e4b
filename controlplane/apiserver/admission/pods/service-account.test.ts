import test from 'ava';
import type { Pod, ServiceAccount } from '../../../../api/gen/types.ts';
import { VirtualClock } from '../../../../base/virtual-clock.ts';
import type { AdmissionAttributes, ObjectReader } from '../../contracts.ts';
import { ServiceAccountAdmission } from './service-account.ts';

const NEVER = new AbortController().signal;

/** Knows one account, once there is one. */
class OneAccount implements ObjectReader {
	account: ServiceAccount | undefined;
	get(): never {
		return this.account as never;
	}
	list(): never[] {
		return [];
	}
	onChange(): Disposable {
		return { [Symbol.dispose]: () => {} };
	}
}

function creation(): AdmissionAttributes {
	const object: Pod = { metadata: { name: 'a', namespace: 'n' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
	return {
		...{ operation: 'CREATE', user: { name: 'admin', uid: '', groups: [], extra: {} }, options: {}, dryRun: false, warn: () => {} },
		...{ group: '', version: 'v1', kind: 'Pod', resource: 'pods', subresource: '', namespace: 'n', name: 'a' },
		...{ object, oldObject: undefined },
	};
}

test('a pod made right after its namespace waits for the default account, and not for ever', async (t) => {
	const objects = new OneAccount();
	const clock = new VirtualClock();
	const plugin = new ServiceAccountAdmission(objects, clock);
	const late = creation();
	const admitted = Promise.resolve(plugin.mutate(late, NEVER));
	await clock.advance(800); // less than nine waits of 100 ms
	objects.account = { metadata: { name: 'default', namespace: 'n' } };
	await clock.advance(200);
	await admitted;
	t.is((late.object as Pod).spec?.volumes?.length, 1);

	objects.account = undefined;
	const never = t.throwsAsync(Promise.resolve(plugin.mutate(creation(), NEVER)), { message: /serviceaccount "default" not found$/ });
	await clock.advance(1800);
	await never;
	t.is(clock.pending, 0);
});

const ref = (name: string) => ({ name: 'V', valueFrom: { secretKeyRef: { name, key: 'k' } } });
const LIMITED = 'is not allowed because service account limited does not reference that secret';
const withSpec = (spec: object): object => ({ containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'limited', ...spec });
for (const [what, spec, want] of [
	[
		'a listed one',
		{ volumes: [{ name: 'v', secret: { secretName: 'good' } }], containers: [{ name: 'c', env: [ref('good')] }] },
		undefined,
	],
	['a volume', { volumes: [{ name: 'v', secret: { secretName: 'bad' } }] }, `volume with secret.secretName="bad" ${LIMITED}`],
	[
		'a variable',
		{ containers: [{ name: 'c', env: [{ name: 'PLAIN', value: 'x' }, ref('bad')] }] },
		`container c with envVar V referencing secret.secretName="bad" ${LIMITED}`,
	],
	[
		'all variables',
		{ initContainers: [{ name: 'first', envFrom: [{ configMapRef: { name: 'm' } }, { secretRef: { name: 'bad' } }] }] },
		`init container first with envFrom referencing secret.secretName="bad" ${LIMITED}`,
	],
	[
		'a pull secret',
		{ imagePullSecrets: [{ name: 'pull' }, { name: 'bad' }] },
		'imagePullSecrets[1].name="bad" is not allowed because service account limited does not reference that imagePullSecret',
	],
] as const)
	test(`an account that limits secrets: ${what}`, async (t) => {
		const objects = new OneAccount();
		const metadata = { name: 'limited', namespace: 'n', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'True' } };
		objects.account = { metadata, secrets: [{ name: 'good' }], imagePullSecrets: [{ name: 'pull' }] };
		const plugin = new ServiceAccountAdmission(objects, new VirtualClock());
		const object = { metadata: { name: 'a', namespace: 'n' }, spec: withSpec(spec) } as Pod;
		const validate = async (over: Partial<AdmissionAttributes>): Promise<unknown> => {
			const attributes = { ...creation(), object, ...over };
			if (!plugin.handles(attributes)) return t.fail('it is not looked at');
			await plugin.mutate(attributes, NEVER);
			return plugin.validate(attributes, NEVER);
		};
		if (want === undefined) return t.notThrowsAsync(validate({}));
		await t.throwsAsync(validate({}), { message: `pods "a" is forbidden: ${want}` });
		const later = withSpec({ ephemeralContainers: [{ name: 'debug', env: [ref('bad')] }] });
		const added = { ...object, spec: later } as Pod;
		await t.throwsAsync(validate({ operation: 'UPDATE', subresource: 'ephemeralcontainers', object: added }), {
			message: `ephemeral container debug with envVar V referencing secret.secretName="bad" ${LIMITED}`,
		});
		t.false(plugin.handles({ ...creation(), operation: 'UPDATE' }));
	});
