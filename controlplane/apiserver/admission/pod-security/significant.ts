/** Whether a change of a pod concerns the Pod Security Standards: images, new containers. Anything else of a running pod passes. Pure. */
import type { Pod } from '../../../../api/gen/types.ts';

export function isSignificant(now: Pod, before: Pod | undefined): boolean {
	for (const list of ['containers', 'initContainers'] as const) {
		const [after, old] = [now.spec?.[list] ?? [], before?.spec?.[list] ?? []];
		if (after.length !== old.length || after.some((c, i) => differs(c, old[i]))) return true;
	}
	const old = before?.spec?.ephemeralContainers ?? [];
	return (now.spec?.ephemeralContainers ?? []).some((c) =>
		differs(
			c,
			old.find((o) => o.name === c.name),
		),
	);
}

interface Imaged {
	readonly image?: string | undefined;
}

function differs(now: Imaged, before: Imaged | undefined): boolean {
	return before === undefined || (now.image ?? '') !== (before.image ?? '');
}
