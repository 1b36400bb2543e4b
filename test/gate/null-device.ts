/** What becomes of /dev/null where a test, as root, replaces or removes it: the machine goes on, and fails elsewhere. */
import { statSync } from 'node:fs';

/** Linux, Documentation/admin-guide/devices.txt: 1, 3. */
const NULL = 0x103;

/** What is wrong with it, and how it is mended; undefined where it is what it should be. */
export function nullDeviceFault(path = '/dev/null'): string | undefined {
	const found = statSync(path, { throwIfNoEntry: false });
	if (found?.isCharacterDevice() && found.rdev === NULL) return undefined;
	const what = found === undefined ? 'is gone' : found.isFile() ? `is a plain file of ${found.size} bytes` : 'is another device';
	return `${path} ${what}; as root: rm -f ${path}; mknod -m 666 ${path} c 1 3`;
}
