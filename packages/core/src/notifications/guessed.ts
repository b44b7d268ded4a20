/** Tells a person that somebody tries to guess one of their secrets; it names neither the tried secrets nor the network. */
export const guessedMessage = () => ({
  subject: 'Somebody tries to sign in to Granary with your name',
  text: [
    'Many wrong passwords, codes or PINs were given for you in Granary. They were refused, and the number of tries is limited.',
    'If it was not you: your page in Granary shows how many there were, where they came from, and who is signed in for you. Choose another password if somebody else may know yours, and tell whoever administers Granary.',
    'You get this at most once a day.',
  ].join('\n\n'),
});
