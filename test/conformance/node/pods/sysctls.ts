/** [sig-node] Sysctls: those of a pod's own namespaces. */
import { refusal } from '../../refusals.ts';
import { conformance } from '../../suite.ts';
import { create, output } from '../pod.ts';

conformance(
	'[sig-node] Sysctls [LinuxOnly] [NodeConformance] should support sysctls [Environment:NotInUserNS] [Conformance]',
	async (world) => {
		const sysctls = [{ name: 'kernel.shm_rmid_forced', value: '1' }];
		const script = 'cat /proc/sys/kernel/shm_rmid_forced';
		world.t.is(await output(world, { script, spec: { securityContext: { sysctls } } }), '1\n');
	},
);

conformance('[sig-node] Sysctls [LinuxOnly] [NodeConformance] should reject invalid sysctls [Conformance]', async (world) => {
	const { t } = world;
	const names = ['foo-', 'kernel.shmmax', 'safe-and-unsafe', 'bar..'];
	const sysctls = names.map((name) => ({ name, value: '100000000' }));
	const { code, message } = await refusal(create(world, { name: 'invalid', spec: { securityContext: { sysctls } } }));
	t.is(code, 422);
	for (const name of ['foo-', 'bar..']) t.true(message.includes(`Invalid value: "${name}"`), message);
	for (const name of ['safe-and-unsafe', 'kernel.shmmax']) t.false(message.includes(name), message);
});
