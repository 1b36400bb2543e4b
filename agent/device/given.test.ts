/** What several plugins give to one container, in one. */
import test from 'ava';
import { givenBy } from './given.ts';

test('givenBy(): what two plugins say of one path or variable, the first has said', (t) => {
	const answer = (value: string) => ({
		envs: { A: value },
		mounts: [{ containerPath: '/m', hostPath: `/${value}`, readOnly: true }],
		devices: [{ containerPath: '/dev/x', hostPath: `/dev/${value}`, permissions: 'r' }],
		annotations: { note: value },
		cdiDevices: [{ name: 'v/k=1' }],
	});
	t.deepEqual(givenBy([answer('one'), answer('two')]), {
		env: [{ name: 'A', value: 'one' }],
		mounts: [{ containerPath: '/m', hostPath: '/one', readOnly: true }],
		devices: [{ containerPath: '/dev/x', hostPath: '/dev/one', readOnly: false, permissions: 'r' }],
		annotations: { note: 'one' },
		cdi: ['v/k=1'],
	});
});
