/** Which taints a pod bears (component-helpers scheduling/corev1). Pure. */
import type { Taint, Toleration } from '../gen/types.ts';

/** True when the toleration covers the taint: effect, key and, unless it is Exists, value. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
	if (toleration.effect !== undefined && toleration.effect !== '' && toleration.effect !== taint.effect) return false;
	const key = toleration.key ?? '';
	if (key !== '' && key !== taint.key) return false;
	switch (toleration.operator ?? 'Equal') {
		case '':
		case 'Equal':
			return key !== '' && (toleration.value ?? '') === (taint.value ?? '');
		case 'Exists':
			return true;
		default:
			return false;
	}
}

/** True when any toleration covers the taint. */
export function toleratesAny(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
	return (tolerations ?? []).some((t) => tolerates(t, taint));
}

/** The first taint of the given effects that nothing covers. */
export function untolerated(
	tolerations: readonly Toleration[] | undefined,
	taints: readonly Taint[],
	effects: readonly string[],
): Taint | undefined {
	return taints.find((taint) => effects.includes(taint.effect) && !toleratesAny(tolerations, taint));
}
