/** What the health monitor says of volumes, and once they are well. */
import test from 'ava';
import { MemoryDriver } from '../../test/fakes/memory-driver.ts';
import { withRoles } from '../../test/fakes/csi-roles.ts';
import { createHealthMonitor } from './health-monitor.ts';
import { createProvisioner } from './provisioner/provisioner.ts';

test('an abnormal volume is told of on its claim, and when it is well again', (t) =>
	withRoles(
		(clock) => new MemoryDriver(() => clock.now()),
		(deps) => [...createProvisioner(deps), ...createHealthMonitor(deps)],
		async (b) => {
			await b.claim('c');
			await b.pass();
			const name = await b.bound('c');
			b.driver.failing.set(`health vol-${name}`, 'Internal');
			await b.pass(301_000);
			t.true((await b.events('c')).includes('VolumeConditionAbnormal: it creaks'));
			b.driver.failing.clear();
			await b.pass(301_000);
			t.true((await b.events('c')).includes('VolumeConditionNormal: The Volume returns to the healthy state'));
		},
	));
