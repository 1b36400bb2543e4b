import test from 'ava';
import type { Pod, ServiceAccount } from '../../../api/gen/types.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { AdmissionAttributes, ObjectReader } from '../contracts.ts';
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
