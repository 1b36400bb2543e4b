/** Finalizers of custom resources that were better named otherwise (apiextensions validateKubeFinalizerName). Pure. */
import { goQuote } from '../../../api/go-quote.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { qualifiedName } from '../../../api/validation/names.ts';

const STANDARD = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);
const AT = 'metadata.finalizers';

/** Of those that `old` has not. */
export function finalizerWarnings({ metadata }: KubeObject, old?: KubeObject): readonly string[] {
	const before = new Set(old?.metadata.finalizers);
	return [...new Set(metadata.finalizers)]
		.filter((name) => !before.has(name))
		.toSorted()
		.flatMap((name) => {
			const advice =
				name.includes('/') || STANDARD.has(name)
					? []
					: [
							`prefer a domain-qualified finalizer name ${name.includes('.') ? 'including a path (/) ' : ''}to avoid accidental conflicts with other finalizer writers`,
						];
			return [...qualifiedName(name), ...advice].map((text) => `${AT}: ${goQuote(name)}: ${text}`);
		});
}
