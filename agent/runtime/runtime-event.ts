/** What a runtime tells of its own accord. */
export interface RuntimeEvent {
	readonly podUid: string;
	readonly containerId: string;
	readonly type: 'created' | 'started' | 'stopped' | 'deleted';
	/** When it happened, ms since the epoch. */
	readonly at: number;
}
