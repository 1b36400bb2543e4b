/** Whether a change of a pod concerns the Pod Security Standards: images, profiles in annotations, new containers. Anything else of a running pod passes. Pure. */
import type { Pod } from '../../../../api/gen/types.ts';
import { CONTAINER_SECCOMP, POD_SECCOMP } from './annotations.ts';

export function isSignificant(now: Pod, before: Pod | undefined): boolean {
	const annotation = (pod: Pod | undefined, key: string): string => pod?.metadata.annotations?.[key] ?? '';
	if (annotation(now, POD_SECCOMP) !== annotation(before, POD_SECCOMP)) return true;
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

	function differs(
		c: { readonly name: string; readonly image?: string | undefined },
		was: { readonly image?: string | undefined } | undefined,
	): boolean {
		const key = CONTAINER_SECCOMP + c.name;
		return was === undefined || (c.image ?? '') !== (was.image ?? '') || annotation(now, key) !== annotation(before, key);
	}
}
