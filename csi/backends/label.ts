/**
 * The SELinux label among mount flags (`context=`, mount(8)). A driver says for all its volumes that they can be mounted with one (CSIDriver `seLinuxMount`),
 * and then nobody else labels the files: what has no file system of its own, whose mount could have a label, has it given to its files instead. Pure.
 */

const CONTEXT = /^context=(?:"([^"]*)"|(.*))$/;

export interface Labelled {
	readonly label: string | undefined;
	/** All others, in order. */
	readonly flags: readonly string[];
}

/** Of several labels the last one counts, as mount(8) has it. */
export function takeLabel(all: readonly string[]): Labelled {
	const labels = all.flatMap((flag) => {
		const found = CONTEXT.exec(flag);
		return found === null ? [] : [found[1] ?? found[2] ?? ''];
	});
	return { label: labels.at(-1) || undefined, flags: all.filter((flag) => !CONTEXT.test(flag)) };
}
