import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { requestInfo } from '../request/request-info.ts';
import { InFlightLimits } from './in-flight-limits.ts';

const user = (...groups: readonly string[]) => ({ name: 'u', uid: '', groups, extra: {} });
const info = (method: string, path = '/api/v1/namespaces/n/pods') => requestInfo(method, path, new URLSearchParams());

test('so many reads and writes are served at once; administrators are never refused', (t) => {
	const limits = new InFlightLimits({ maxRequests: 2, maxMutatingRequests: 1 }, new VirtualClock());
	const enter = (method: string, ...groups: readonly string[]) => limits.enter(info(method), user(...groups), 0);
	const write = enter('POST');
	t.is(write.type, 'pass');
	t.like(enter('DELETE'), { type: 'refused', retryAfterSeconds: 1 });
	t.is(enter('DELETE', 'system:masters').type, 'pass');
	t.is(limits.inFlight.mutating.executing.count, 1);
	t.deepEqual(
		['GET', 'GET', 'GET'].map((method) => enter(method).type),
		['pass', 'pass', 'refused'],
	);
	t.is(limits.enter(info('POST', '/version'), user(), 0).type, 'refused');
	if (write.type === 'pass') {
		write.leave();
		write.leave();
	}
	t.is(limits.inFlight.mutating.executing.count, 0);
	t.is(enter('POST').type, 'pass');
	const free = new InFlightLimits({ maxRequests: 0, maxMutatingRequests: 0 }, new VirtualClock());
	t.true([1, 2, 3].every(() => free.enter(info('GET'), user(), 0).type === 'pass'));
});
