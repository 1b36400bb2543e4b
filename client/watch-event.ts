/** What a watch tells of one object. */
import type { Status } from '../api/gen/types.ts';
import type { KubeObject } from '../api/resource.ts';

export type WatchEvent<T> =
	| { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
	/** Only metadata.resourceVersion and annotations mean anything. */
	| { readonly type: 'BOOKMARK'; readonly object: T };

/** The same as it travels, the word that a watch has failed among it. */
export type SentEvent<T extends KubeObject = KubeObject> = WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Status };
