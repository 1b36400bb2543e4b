/** Whether the kernel enforces AppArmor profiles (as opencontainers' runc asks). */
import { access, readFile } from 'node:fs/promises';

export async function hasAppArmor(root = ''): Promise<boolean> {
	const enabled = await readFile(`${root}/sys/module/apparmor/parameters/enabled`, 'utf8').catch(() => '');
	if (!enabled.startsWith('Y')) return false;
	return access(`${root}/sys/kernel/security/apparmor`).then(
		() => true,
		() => false,
	);
}
