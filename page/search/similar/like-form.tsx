import { Icon } from '../../kit/icons.tsx';
import { go, hrefOf } from '../../kit/route.ts';
import { TEXT } from '../../kit/text.ts';
import { filesOf } from '../../new/dropped-files.ts';
import { choosePicture } from './chosen-picture.ts';

/** The form for similar findings: a picture that is chosen or dropped, or words. */
export function LikeForm({ words }: { readonly words: string | null }) {
  return (
    <form
      class="find large"
      role="search"
      aria-label={TEXT.search.similarFindings}
      onDrop={dropPicture}
      onSubmit={(event) => {
        event.preventDefault();
        const asked = (new FormData(event.currentTarget).get('words') as string).trim();
        if (asked !== '') go(hrefOf(['search', 'similar'], { words: asked }));
      }}
    >
      <input
        name="words"
        type="search"
        aria-label={TEXT.search.whatPicturesShow}
        placeholder={TEXT.search.dropAPictureOrDescribe}
        defaultValue={words ?? ''}
      />
      <label class="button">
        <Icon name="upload" />
        <span>{TEXT.search.choosePicture}</span>
        <input
          class="unseen"
          type="file"
          accept="image/*"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) choosePicture(file);
            currentTarget.value = '';
          }}
        />
      </label>
      <button type="submit" class="primary">
        {TEXT.common.search}
      </button>
    </form>
  );
}

/** Uses a dropped file for the search. In other views, a dropped file starts an analysis. */
export function dropPicture(event: DragEvent): void {
  event.preventDefault();
  void filesOf(event.dataTransfer).then(([file]) => {
    if (file !== undefined) choosePicture(file);
  });
}
