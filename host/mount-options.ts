/** Options that are one mount's own, and not its file system's: those that a bind mount can have (mount(2), MS_REMOUNT | MS_BIND). Pure. */

/** As the mount table shows them. */
const SHOWN: readonly string[] = ['ro', 'nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime'];
/** What takes them away, or says what is so without them. */
const PLAIN: readonly string[] = [
	'rw',
	'suid',
	'dev',
	'exec',
	'atime',
	'diratime',
	'norelatime',
	'strictatime',
	'nostrictatime',
	'defaults',
];

export function isOfMount(option: string): boolean {
	return SHOWN.includes(option) || PLAIN.includes(option);
}

/** Whether a mount that shows these options has all that are wanted. */
export function hasOptions(shown: readonly string[], wanted: readonly string[]): boolean {
	return effective(wanted).every((option) => {
		if (SHOWN.includes(option)) return shown.includes(option);
		if (option === 'rw') return !shown.includes('ro');
		return option === 'strictatime' ? !shown.includes('relatime') && !shown.includes('noatime') : !shown.includes(`no${option}`);
	});
}

/** What a remount is told: all that the mount has, which it would lose, and what is wanted. */
export function remountOptions(shown: readonly string[], wanted: readonly string[]): readonly string[] {
	return ['remount', 'bind', ...shown.filter((option) => SHOWN.includes(option)), ...wanted];
}

/** The last word on a matter counts, as mount(8) has it. */
function effective(wanted: readonly string[]): readonly string[] {
	const matter = (option: string): string =>
		option === 'rw' || option === 'ro' ? 'write' : option.replace(/^no|^(?:rel|strict)(?=a)/, '');
	return [...new Map(wanted.map((option) => [matter(option), option])).values()];
}
