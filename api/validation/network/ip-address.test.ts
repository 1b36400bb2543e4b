import test from 'ava';
import { ipAddress, ipAddressUpdate } from './ip-address.ts';
import type { Errors } from '../rule.ts';

const PARENT = { resource: 'services', name: 'a', namespace: 'n' };
const address = (name: string, parentRef?: object) =>
	({ metadata: { name }, spec: parentRef === undefined ? {} : { parentRef } }) as Parameters<typeof ipAddress>[1];
const said = (errors: Errors): readonly string[] => errors.map((e) => `${(e as { field?: string }).field}: ${JSON.stringify(e)}`);

for (const [name, parent, want] of [
	['10.0.0.1', PARENT, undefined],
	['fe80::1', PARENT, undefined],
	['fe80:0::1', PARENT, /must be in canonical form/],
	['FE80::1', PARENT, /must be in canonical form/],
	['10.0.0.01', PARENT, /must not have leading 0s/],
	['::ffff:1.2.3.4', PARENT, /must not be an IPv4-mapped IPv6 address/],
	['a', PARENT, /must be a valid IP address/],
	['10.0.0.1', undefined, /spec\.parentRef/],
	['10.0.0.1', { resource: 'services' }, /spec\.parentRef\.name/],
	['10.0.0.1', { ...PARENT, resource: 'a/b' }, /spec\.parentRef\.resource/],
] as const)
	test(`IPAddress: ${name} of ${JSON.stringify(parent)}`, (t) => {
		const errors: Errors = [];
		ipAddress(errors, address(name, parent));
		if (want === undefined) t.deepEqual(errors, []);
		else {
			t.is(errors.length, 1);
			t.regex(said(errors).join(), want);
		}
	});

test('IPAddress: its parent stays', (t) => {
	const errors: Errors = [];
	ipAddressUpdate(errors, address('10.0.0.1', { ...PARENT, name: 'b' }), address('10.0.0.1', PARENT));
	t.regex(said(errors).join(), /spec\.parentRef.*field is immutable/);
});
